package demo

// Annotations of tools, since revision 2025-03-26.
const (
	readOnly       = `{"readOnlyHint":true,"openWorldHint":false}`
	changesNothing = `{"readOnlyHint":true,"idempotentHint":false,"openWorldHint":false}`
	changesData    = `{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}`
	destructive    = `{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":false}`
	openWorld      = `{"readOnlyHint":true,"openWorldHint":true}`
)

// Schemas of tools: JSON Schema 2020-12.
const (
	dialect = `"$schema":"https://json-schema.org/draft/2020-12/schema"`

	noInput = `{` + dialect + `,"type":"object","properties":{},"additionalProperties":false}`

	echoInput = `{` + dialect + `,"type":"object","properties":{
		"message":{"type":"string","title":"Message","description":"What to say back","examples":["hello"]},
		"upper":{"type":"boolean","title":"In capitals","default":false}
	},"required":["message"],"additionalProperties":false}`

	addInput = `{` + dialect + `,"type":"object","properties":{
		"a":{"type":"number","title":"First number"},
		"b":{"type":"number","title":"Second number"}
	},"required":["a","b"],"additionalProperties":false}`

	addOutput = `{` + dialect + `,"type":"object","properties":{
		"sum":{"type":"number","title":"Sum"}
	},"required":["sum"],"additionalProperties":false}`

	slowInput = `{` + dialect + `,"type":"object","properties":{
		"seconds":{"type":"number","title":"Seconds in all","minimum":0,"maximum":3600,"default":2},
		"steps":{"type":"integer","title":"Steps","minimum":1,"maximum":1000,"default":4}
	},"additionalProperties":false}`

	jobInput = `{` + dialect + `,"type":"object","properties":{
		"seconds":{"type":"number","title":"Seconds in all","minimum":0,"maximum":3600,"default":4},
		"ask":{"type":"boolean","title":"Ask in the middle","default":false},
		"end":{"type":"string","title":"How to end","enum":["ok","isError","error"],"default":"ok"},
		"keep":{"type":"number","title":"Seconds until the task is forgotten","description":"0: never","minimum":0,"default":0}
	},"additionalProperties":false}`

	failInput = `{` + dialect + `,"type":"object","properties":{
		"kind":{"type":"string","title":"How to fail","enum":["isError","error","crash"],"default":"isError"}
	},"additionalProperties":false}`

	askInput = `{` + dialect + `,"type":"object","properties":{
		"mode":{"type":"string","title":"Form or page","enum":["form","url","required"],"default":"form"}
	},"additionalProperties":false}`

	sampleInput = `{` + dialect + `,"type":"object","properties":{
		"prompt":{"type":"string","title":"Prompt","default":"Write a haiku about pipes."},
		"maxTokens":{"type":"integer","title":"Tokens at most","minimum":1,"default":100}
	},"additionalProperties":false}`

	logInput = `{` + dialect + `,"type":"object","properties":{
		"level":{"type":"string","title":"Level","enum":["debug","info","notice","warning","error","critical","alert","emergency"],"default":"info"},
		"message":{"type":"string","title":"Message","default":"a log message"},
		"count":{"type":"integer","title":"How many","minimum":0,"maximum":1000000,"default":1}
	},"additionalProperties":false}`

	bigInput = `{` + dialect + `,"type":"object","properties":{
		"bytes":{"type":"integer","title":"Size of the text","minimum":0,"maximum":1073741824,"default":1048576}
	},"additionalProperties":false}`

	floodInput = `{` + dialect + `,"type":"object","properties":{
		"count":{"type":"integer","title":"How many","minimum":0,"default":10000},
		"bytes":{"type":"integer","title":"Bytes a line","minimum":140,"maximum":1048576,"default":205}
	},"additionalProperties":false}`

	envOutput = `{` + dialect + `,"type":"object","properties":{
		"names":{"type":"array","items":{"type":"string"}}
	},"required":["names"],"additionalProperties":false}`

	touchInput = `{` + dialect + `,"type":"object","properties":{
		"what":{"type":"string","title":"What to change","enum":["clock","tools","prompts","resources"],"default":"clock"}
	},"additionalProperties":false}`

	bookInput = `{` + dialect + `,"type":"object","properties":{
		"passengers":{"type":"array","title":"Passengers","minItems":1,"maxItems":9,"items":{"$ref":"#/$defs/passenger"}},
		"trip":{"type":"object","title":"Trip","properties":{
			"from":{"type":"string","title":"From","minLength":1},
			"to":{"type":"string","title":"To","minLength":1},
			"date":{"type":"string","title":"Day","format":"date"},
			"class":{"title":"Class","default":"second","oneOf":[
				{"const":"first","title":"First class"},
				{"const":"second","title":"Second class"},
				{"const":"sleeper","title":"Sleeping car"}]}
		},"required":["from","to"],"additionalProperties":false},
		"contact":{"type":"object","title":"Contact","properties":{
			"email":{"type":"string","title":"E-mail","format":"email"},
			"phone":{"type":"string","title":"Telephone","pattern":"^[0-9 +]*$"}
		},"additionalProperties":false},
		"flexible":{"type":"boolean","title":"Can be changed","default":false},
		"maxPrice":{"type":"number","title":"Price at most","exclusiveMinimum":0},
		"extras":{"type":"array","title":"Extras","uniqueItems":true,"items":{"type":"string","enum":["bicycle","dog","wifi"]}}
	},"required":["passengers","trip"],"additionalProperties":false,
	"$defs":{"passenger":{"type":"object","title":"Passenger","properties":{
		"name":{"type":"string","title":"Name","minLength":1,"maxLength":80},
		"age":{"type":"integer","title":"Age","minimum":0,"maximum":150},
		"seat":{"type":"string","title":"Seat","enum":["window","aisle","any"],"default":"any"},
		"meal":{"type":"string","title":"Meal","enum":["none","vegetarian","vegan"],"default":"none"}
	},"required":["name"],"additionalProperties":false}}}`

	bookOutput = `{` + dialect + `,"type":"object","properties":{
		"reference":{"type":"string","pattern":"^DEMO-[0-9A-F]{8}$"},
		"price":{"type":"number"},
		"passengers":{"type":"integer"}
	},"required":["reference","price","passengers"],"additionalProperties":false}`
)

// Defaults other than booleans, choices with titles and multiple choices exist since
// 2025-11-25.
func askForm(revision string) string {
	if revision < "2025-11-25" {
		return `{"type":"object","properties":{
			"name":{"type":"string","title":"Name","minLength":1,"maxLength":80},
			"email":{"type":"string","title":"E-mail","format":"email"},
			"birthday":{"type":"string","title":"Birthday","format":"date"},
			"cups":{"type":"integer","title":"Cups of coffee a day","minimum":0,"maximum":20},
			"rating":{"type":"number","title":"Rating","minimum":0,"maximum":5},
			"subscribe":{"type":"boolean","title":"Subscribe","default":false},
			"colour":{"type":"string","title":"Colour","enum":["red","green","blue"],"enumNames":["Red","Green","Blue"]}
		},"required":["name"]}`
	}
	return `{"type":"object","properties":{
		"name":{"type":"string","title":"Name","minLength":1,"maxLength":80,"default":"Ada"},
		"email":{"type":"string","title":"E-mail","format":"email"},
		"homepage":{"type":"string","title":"Home page","format":"uri"},
		"birthday":{"type":"string","title":"Birthday","format":"date"},
		"wake":{"type":"string","title":"Wake me at","format":"date-time"},
		"cups":{"type":"integer","title":"Cups of coffee a day","minimum":0,"maximum":20,"default":2},
		"rating":{"type":"number","title":"Rating","minimum":0,"maximum":5},
		"subscribe":{"type":"boolean","title":"Subscribe","default":false},
		"size":{"type":"string","title":"Size","enum":["S","M","L"],"default":"M"},
		"colour":{"type":"string","title":"Colour","oneOf":[
			{"const":"red","title":"Red"},{"const":"green","title":"Green"},{"const":"blue","title":"Blue"}],"default":"green"},
		"topics":{"type":"array","title":"Topics","minItems":1,"maxItems":3,"items":{"type":"string","enum":["pipes","forms","logs"]}},
		"days":{"type":"array","title":"Days","items":{"anyOf":[
			{"const":"sat","title":"Saturday"},{"const":"sun","title":"Sunday"}]},"default":["sun"]}
	},"required":["name"]}`
}
