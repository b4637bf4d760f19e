// Package report turns the samples of benchmarks into what people read: ratios
// with their noise, tables, a chart, and the comparison with goals and with an
// earlier report. It measures nothing.
package report
