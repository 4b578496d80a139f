package extract

import (
	"strconv"
	"strings"
)

// An Image is one candidate of a srcset.
type Image struct {
	URL     string  // as it is written
	Width   int     // in pixels, from the descriptor "w"; 0 for none
	Density float64 // from the descriptor "x"; 1 where there is neither
}

// Srcset reads a srcset attribute by the rules of the HTML standard. Candidates
// with descriptors that make no sense are left out.
func Srcset(s string) (images []Image) {
	for {
		s = strings.TrimLeft(s, htmlSpace+",")
		url := leading(s, func(c byte) bool { return !isSpace(c) })
		if url == "" {
			return images
		}
		s = s[len(url):]
		var descriptors []string
		if trimmed := strings.TrimRight(url, ","); len(trimmed) < len(url) {
			url = trimmed
		} else {
			descriptors, s = cutDescriptors(s)
		}
		if image, ok := describeImage(url, descriptors); ok {
			images = append(images, image)
		}
	}
}

// cutDescriptors cuts the descriptors of a candidate off s. They are apart by
// spaces and end with a comma; neither counts in parentheses.
func cutDescriptors(s string) (descriptors []string, rest string) {
	inside, start := false, -1
	end := func(i int) {
		if start >= 0 {
			descriptors = append(descriptors, s[start:i])
		}
		start = -1
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case inside:
			inside = c != ')'
		case c == ',':
			end(i)
			return descriptors, s[i+1:]
		case isSpace(c):
			end(i)
		default:
			if start < 0 {
				start = i
			}
			inside = c == '('
		}
	}
	end(len(s))
	return descriptors, ""
}

// describeImage reports whether the descriptors go together.
func describeImage(url string, descriptors []string) (Image, bool) {
	image := Image{URL: url}
	seen := map[byte]bool{}
	for _, d := range descriptors {
		unit, value := d[len(d)-1], d[:len(d)-1]
		if seen[unit] || !image.set(unit, value) {
			return image, false
		}
		seen[unit] = true
	}
	if seen['x'] && (seen['w'] || seen['h']) || seen['h'] && !seen['w'] {
		return image, false
	}
	if len(seen) == 0 {
		image.Density = 1
	}
	return image, true
}

// set reads one descriptor and reports whether it is one.
func (i *Image) set(unit byte, value string) bool {
	switch unit {
	case 'w', 'h':
		n, err := strconv.Atoi(value)
		if err != nil || n <= 0 || !isDigit(value[0]) {
			return false
		}
		if unit == 'w' {
			i.Width = n
		}
		return true
	case 'x':
		f, ok := parseFloat(value)
		i.Density = f
		return ok && f >= 0
	}
	return false
}

// parseFloat reads a floating-point number as HTML writes them.
func parseFloat(s string) (float64, bool) {
	digits := strings.TrimPrefix(s, "-")
	whole := leading(digits, isDigit)
	rest := digits[len(whole):]
	if strings.HasPrefix(rest, ".") {
		fraction := leading(rest[1:], isDigit)
		if fraction == "" {
			return 0, false
		}
		rest = rest[1+len(fraction):]
	} else if whole == "" {
		return 0, false
	}
	if rest != "" && !isExponent(rest) {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

func isExponent(s string) bool {
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = strings.TrimPrefix(s[1:], "-")
	if len(s) > 0 && s[0] == '+' {
		s = s[1:]
	}
	return s != "" && leading(s, isDigit) == s
}
