package shape

var (
	blockAnnotations = opt("annotations", annotations)

	textBlock  = obj(req("text", str), blockAnnotations, itemMeta)
	mediaBlock = obj(req("data", str), req("mimeType", str), blockAnnotations, itemMeta)

	// resourceContents is the text or the bytes of a resource.
	resourceContents = func() *Shape {
		s := obj(req("uri", str), opt("mimeType", str), opt("text", str), opt("blob", str), itemMeta)
		s.either = []string{"text", "blob"}
		return s
	}()

	// block is one block of content of a tool's result or of a prompt.
	block = selectBy("type", nil,
		is("text", textBlock),
		is("image", mediaBlock),
		is("audio", mediaBlock).from(vMarch),
		is("resource_link", resource).from(vJune),
		is("resource", obj(req("resource", resourceContents), blockAnnotations, itemMeta)),
	)

	// sampled is one block of content of a message for or from a model.
	sampled = selectBy("type", nil,
		is("text", textBlock),
		is("image", mediaBlock),
		is("audio", mediaBlock).from(vMarch),
		is("tool_use", obj(req("id", str), req("name", str), req("input", bag), itemMeta)).from(v2025),
		is("tool_result", obj(req("toolUseId", str), req("content", list(block)), structured.to(v2025), structured2026, opt("isError", truth), itemMeta)).from(v2025),
	)

	structured     = opt("structuredContent", bag).from(vJune)
	structured2026 = opt("structuredContent", value).from(vModern)
)
