import type { Attributes } from '@opentelemetry/api'
import type { WireWriter } from './wire-writer.ts'

/** Attributes of our own spans, series and resource: texts, numbers, booleans; anything else is left out. */
export function writeAttributes(writer: WireWriter, field: number, attributes: Attributes): void {
	for (const key in attributes) {
		const value = attributes[key]
		if (!isPlain(value)) continue
		writer.message(field, () => {
			writer.text(1, key)
			writer.message(2, () => writeValue(writer, value))
		})
	}
}

type Plain = string | number | boolean

function isPlain(value: unknown): value is Plain {
	return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function writeValue(writer: WireWriter, value: Plain): void {
	if (typeof value === 'string') writer.text(1, value)
	else if (typeof value === 'boolean') writer.int(2, value ? 1 : 0)
	else if (Number.isSafeInteger(value)) writer.int(3, value)
	else writer.double(4, value)
}

/** Resource (1) and the beginning of the only scope (2) of a body, whose items `write` writes. */
export function writeEnvelope(writer: WireWriter, source: Source, write: () => void): Buffer {
	writer.message(1, () => {
		writer.message(1, () => writeAttributes(writer, 1, source.resource))
		writer.message(2, () => {
			writer.message(1, () => {
				writer.text(1, source.scope.name)
				writer.text(2, source.scope.version)
			})
			write()
		})
	})
	return writer.toBuffer()
}

/** The source of the telemetry: its resource, and what recorded it. */
export interface Source {
	resource: Attributes
	scope: { name: string; version: string }
}
