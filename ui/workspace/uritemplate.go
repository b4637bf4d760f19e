package workspace

import "strings"

// TemplateVariables returns the names of the variables of a URI template (RFC 6570), each
// once, in order.
func TemplateVariables(template string) []string {
	var names []string
	seen := map[string]bool{}
	for _, part := range templateParts(template) {
		for _, v := range part.variables {
			if !seen[v.name] {
				seen[v.name] = true
				names = append(names, v.name)
			}
		}
	}
	return names
}

type templatePart struct {
	literal   string
	operator  byte // 0 for simple expansion
	variables []templateVariable
}

type templateVariable struct {
	name   string
	prefix int // length of the value, in characters; 0 for all
}

// templateParts splits a URI template into parts. Text that is not a valid expression is
// literal.
func templateParts(template string) (parts []templatePart) {
	for template != "" {
		open := strings.IndexByte(template, '{')
		if open < 0 {
			break
		}
		end := strings.IndexByte(template[open:], '}')
		if end < 0 {
			break
		}
		if open > 0 {
			parts = append(parts, templatePart{literal: template[:open]})
		}
		parts = append(parts, templateExpression(template[open+1:open+end]))
		template = template[open+end+1:]
	}
	if template != "" {
		parts = append(parts, templatePart{literal: template})
	}
	return parts
}

func templateExpression(inside string) templatePart {
	var p templatePart
	if inside != "" && strings.IndexByte("+#./;?&", inside[0]) >= 0 {
		p.operator, inside = inside[0], inside[1:]
	}
	for name := range strings.SplitSeq(inside, ",") {
		v := templateVariable{name: name}
		v.name = strings.TrimSuffix(v.name, "*") // users enter no lists
		if at := strings.IndexByte(v.name, ':'); at >= 0 {
			for _, c := range v.name[at+1:] {
				if c >= '0' && c <= '9' && v.prefix < 10_000 {
					v.prefix = v.prefix*10 + int(c-'0')
				}
			}
			v.name = v.name[:at]
		}
		if v.name != "" {
			p.variables = append(p.variables, v)
		}
	}
	return p
}

// ExpandTemplate replaces variables with values, or omits those without one, as in RFC
// 6570. All operators and the prefix modifier are supported; lists, maps and the explode
// modifier are not. Text outside of braces stays as it is.
func ExpandTemplate(template string, values map[string]string) string {
	var out strings.Builder
	for _, part := range templateParts(template) {
		if part.variables == nil {
			out.WriteString(part.literal)
			continue
		}
		first, separator, named := templateOperators(part.operator)
		begun := false
		for _, v := range part.variables {
			value, ok := values[v.name]
			if !ok {
				continue
			}
			if begun {
				out.WriteString(separator)
			} else {
				out.WriteString(first)
			}
			begun = true
			if runes := []rune(value); v.prefix > 0 && len(runes) > v.prefix {
				value = string(runes[:v.prefix])
			}
			if named {
				out.WriteString(v.name)
				if value != "" || part.operator != ';' {
					out.WriteByte('=')
				}
			}
			escapeInTemplate(&out, value, part.operator == '+' || part.operator == '#')
		}
	}
	return out.String()
}

// templateOperators returns the separators of an operator, before the first variable and between
// variables, and whether names precede the values.
func templateOperators(operator byte) (first, separator string, named bool) {
	switch operator {
	case '#':
		return "#", ",", false
	case '.':
		return ".", ".", false
	case '/':
		return "/", "/", false
	case ';':
		return ";", ";", true
	case '?':
		return "?", "&", true
	case '&':
		return "&", "&", true
	}
	return "", ",", false
}

// escapeInTemplate writes as %XX what a URI does not allow. Some operators allow reserved
// characters.
func escapeInTemplate(out *strings.Builder, value string, reserved bool) {
	const unreserved, others = "-._~", ":/?#[]@!$&'()*+,;="
	const hex = "0123456789ABCDEF"
	for i := range len(value) {
		c := value[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(unreserved, c) >= 0,
			reserved && strings.IndexByte(others, c) >= 0:
			out.WriteByte(c)
		default:
			out.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
}
