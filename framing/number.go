package framing

import (
	"bytes"
	"strconv"
)

// maxExponent keeps sums of exponents far from overflowing. Numbers beyond it are kept
// unchanged.
const maxExponent = 1 << 40

// AppendNumber appends the canonical spelling of a JSON number, without loss of
// digits: 1, 1.0 and 10e-1 are all 1.
func AppendNumber(dst, number []byte) []byte {
	digits, exponent, ok := significant(number)
	if !ok {
		return append(dst, number...)
	}
	if len(digits) == 0 {
		return append(dst, '0') // -0 too
	}
	if number[0] == '-' {
		dst = append(dst, '-')
	}
	point := int64(len(digits)) + exponent // position of the decimal point in digits
	switch {
	case exponent >= 0 && point <= 21:
		dst = append(dst, digits...)
		return append(dst, zeros[:exponent]...)
	case exponent < 0 && point > 0:
		dst = append(dst, digits[:point]...)
		dst = append(dst, '.')
		return append(dst, digits[point:]...)
	case exponent < 0 && point > -6:
		dst = append(dst, "0."...)
		dst = append(dst, zeros[:-point]...)
		return append(dst, digits...)
	}
	dst = append(dst, digits...)
	dst = append(dst, 'e')
	return strconv.AppendInt(dst, exponent, 10)
}

const zeros = "000000000000000000000"

// significant splits a number into its digits, without zeros at either end, and its power
// of ten. Zero has no digits.
func significant(number []byte) (digits []byte, exponent int64, ok bool) {
	mantissa := bytes.TrimPrefix(number, []byte("-"))
	if i := bytes.IndexAny(mantissa, "eE"); i >= 0 {
		var err error
		exponent, err = strconv.ParseInt(string(mantissa[i+1:]), 10, 64)
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return nil, 0, false
		}
		mantissa = mantissa[:i]
	}
	digits = mantissa
	if i := bytes.IndexByte(mantissa, '.'); i >= 0 {
		exponent -= int64(len(mantissa) - i - 1)
		digits = append(bytes.Clone(mantissa[:i]), mantissa[i+1:]...)
	}
	digits = bytes.TrimLeft(digits, "0")
	trimmed := bytes.TrimRight(digits, "0")
	if len(trimmed) == 0 {
		return nil, 0, true
	}
	return trimmed, exponent + int64(len(digits)-len(trimmed)), true
}
