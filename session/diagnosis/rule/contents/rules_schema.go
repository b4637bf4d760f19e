package contents

import "mcpdbg/session/diagnosis"

var (
	sch04 = &diagnosis.Rule{ID: "SCH04", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "invalid binary data",
		Explanation: "The data of an image or audio block, or the blob of a resource, is not standard base64 with padding, or the block has no mimeType. Encode the bytes with the standard alphabet, without line breaks or a data: prefix.",
		Reference:   "tools and prompts, image and audio content; resources, binary content",
		Impact:      "clients cannot decode the data; those that validate it reject the whole result"}
	sch05 = &diagnosis.Rule{ID: "SCH05", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "invalid URI",
		Explanation: "The uri of a resource is not a URI of RFC 3986, or a uriTemplate is not a template of RFC 6570. Percent-encode spaces and other characters. It is an error if the uri of a root does not begin with file://.",
		Reference:   "resources, common URI schemes; resource templates; roots",
		Impact:      "clients that parse the URI cannot read the resource; servers ignore the root"}
	sch06 = &diagnosis.Rule{ID: "SCH06", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "invalid annotation",
		Explanation: "An annotation has a priority that is not between 0 and 1, an audience other than user and assistant, or a lastModified that is not a timestamp of ISO 8601, such as 2025-01-12T15:00:58Z.",
		Reference:   "resources, annotations",
		Impact:      "clients that validate annotations reject the whole list or result; others ignore the annotation"}
	sch07 = &diagnosis.Rule{ID: "SCH07", Severity: diagnosis.Warning, Side: diagnosis.Both, Revisions: since20250618, Title: "invalid _meta key",
		Explanation: "A key of _meta is not an optional prefix of labels with dots, a slash and a name, or its prefix is reserved for the protocol. Use a domain of your own, such as com.example/name.",
		Reference:   "basic, _meta",
		Impact:      "a key of the protocol or of another program may have the same name one day"}
	sch09 = &diagnosis.Rule{ID: "SCH09", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "too many completion values",
		Explanation: "The result of completion/complete has more than 100 values. Return the 100 best ones, and set total and hasMore.",
		Reference:   "completion, response",
		Impact:      "clients that validate the result reject it"}
	sch10 = &diagnosis.Rule{ID: "SCH10", Severity: diagnosis.Warning, Side: diagnosis.Both, Revisions: since20251125, Title: "unsupported icon",
		Explanation: "The src of an icon is not an https or data URL. It is an error for schemes that clients must reject, such as javascript, file, ftp and ws. Serve the icon by https, or embed it.",
		Reference:   "basic, icons",
		Impact:      "clients show no icon"}
)

var schemaRules = []*diagnosis.Rule{sch04, sch05, sch06, sch07, sch09, sch10}
