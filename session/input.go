package session

import "encoding/json"

// maxInputRounds is how often one request is sent again with more input.
const maxInputRounds = 8

// inputFor answers a result of the modern era that asks for input: it returns
// the params to send the request with again. It returns false if the result
// asks for nothing, or for something without an answer.
func (a Answers) inputFor(params, result json.RawMessage) (json.RawMessage, bool) {
	if len(a) == 0 || len(result) == 0 {
		return nil, false
	}
	var ask struct {
		ResultType    string `json:"resultType"`
		InputRequests map[string]struct {
			Method string `json:"method"`
		} `json:"inputRequests"`
		RequestState json.RawMessage `json:"requestState"`
	}
	if json.Unmarshal(result, &ask) != nil || ask.ResultType != "input_required" {
		return nil, false
	}
	object := map[string]json.RawMessage{}
	if len(params) > 0 && json.Unmarshal(params, &object) != nil {
		return nil, false
	}
	if len(ask.InputRequests) > 0 {
		responses := make(map[string]json.RawMessage, len(ask.InputRequests))
		for key, request := range ask.InputRequests {
			answer, ok := a[request.Method]
			if !ok {
				return nil, false
			}
			responses[key] = answer
		}
		object["inputResponses"], _ = json.Marshal(responses) // raw JSON always encodes
	}
	if ask.RequestState != nil {
		object["requestState"] = ask.RequestState
	}
	again, err := json.Marshal(object)
	return again, err == nil
}
