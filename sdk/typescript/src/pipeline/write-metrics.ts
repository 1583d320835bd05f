import { nowMs, toNanoseconds } from './now.ts'
import { durationBounds, type OwnHistogram, type Series } from './own-histogram.ts'
import { WireWriter } from './wire-writer.ts'
import { type Source, writeAttributes, writeEnvelope } from './write-attributes.ts'

const cumulative = 2

/** An `ExportMetricsServiceRequest`; `lost` spans are reported if there are any. */
export function writeMetrics(histograms: readonly OwnHistogram[], lost: number, source: Source): Buffer {
	const writer = new WireWriter()
	return writeEnvelope(writer, source, () => {
		for (const histogram of histograms)
			if (histogram.series.size > 0) writer.message(2, () => writeHistogram(writer, histogram))
		const startMs = histograms[0]?.startMs ?? nowMs()
		if (lost > 0) writer.message(2, () => writeLost(writer, lost, startMs))
	})
}

function writeHistogram(writer: WireWriter, { name, series, startMs }: OwnHistogram): void {
	writer.text(1, name)
	writer.text(3, 's')
	writer.message(9, () => {
		for (const each of series.values()) writer.message(1, () => writeSeries(writer, each, startMs))
		writer.int(2, cumulative)
	})
}

function writeSeries(writer: WireWriter, series: Series, startMs: number): void {
	writer.fixed64(2, toNanoseconds(startMs))
	writer.fixed64(3, toNanoseconds(nowMs()))
	writer.fixed64(4, BigInt(series.count))
	writer.double(5, series.sum)
	// One by one: protobuf readers accept packed fields in both forms.
	for (const count of series.buckets) writer.fixed64(6, BigInt(count))
	for (const bound of durationBounds) writer.double(7, bound)
	writeAttributes(writer, 9, series.attributes)
	writer.double(11, series.min)
	writer.double(12, series.max)
}

/** Uses the conventions for metrics of an OpenTelemetry SDK about itself. */
function writeLost(writer: WireWriter, lost: number, startMs: number): void {
	writer.text(1, 'otel.sdk.processor.span.processed')
	writer.text(3, '{span}')
	writer.message(7, () => {
		writer.message(1, () => {
			writer.fixed64(2, toNanoseconds(startMs))
			writer.fixed64(3, toNanoseconds(nowMs()))
			writer.fixed64(6, BigInt(lost))
			writeAttributes(writer, 7, { 'error.type': 'queue_full' })
		})
		writer.int(2, cumulative)
		writer.int(3, 1)
	})
}
