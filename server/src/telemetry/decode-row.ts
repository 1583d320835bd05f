import type { LedgerEntry } from '../ledger/index.ts'
import { parseAttribute } from './attribute-text.ts'
import type { Attributes, AttributeValue, SpanRow } from './span-row.ts'

/** Reads rows of the binary form of the `spans` table in the present format, all or the first few. Throws RangeError where the bytes end too early. */
export function decodeSpanRows(bytes: Buffer, limit = Number.POSITIVE_INFINITY): SpanRow[] {
	const reader = new RowReader(bytes)
	const rows: SpanRow[] = []
	while (reader.position < bytes.length && rows.length < limit) rows.push(readSpanRow(reader))
	return rows
}

function readSpanRow(r: RowReader): SpanRow {
	return {
		workspaceId: r.text(),
		retentionDays: r.uint16(),
		startNs: r.int64(),
		durationNs: r.uint64(),
		traceId: r.hex(16),
		spanId: r.hex(8),
		parentSpanId: r.optionalHex(8),
		traceState: r.text(),
		name: r.text(),
		otlpKind: r.byte(),
		source: r.text() as SpanRow['source'],
		kind: r.text() as SpanRow['kind'],
		status: r.text() as SpanRow['status'],
		statusMessage: r.text(),
		errorType: r.text(),
		serviceName: r.text(),
		scopeName: r.text(),
		scopeVersion: r.text(),
		agentId: r.text(),
		agentName: r.text(),
		serverId: r.text(),
		serverName: r.text(),
		toolName: r.text(),
		mcpMethod: r.text(),
		credentialId: r.text(),
		sessionId: r.text(),
		userId: r.text(),
		client: r.text(),
		connection: r.text(),
		provider: r.text(),
		modelRequested: r.text(),
		model: r.text(),
		inputTokens: r.count(),
		cacheReadTokens: r.count(),
		cacheWriteTokens: r.count(),
		outputTokens: r.count(),
		reasoningTokens: r.count(),
		usageSource: r.text() as SpanRow['usageSource'],
		costNanoUsd: r.byte() ? null : r.int64(),
		timeToFirstTokenNs: r.byte() ? null : r.uint64(),
		httpStatus: r.byte() ? null : r.uint16(),
		rpcCode: r.byte() ? null : r.int32(),
		requestBytes: r.count(),
		responseBytes: r.count(),
		attributes: r.attributes(),
		resource: r.attributes(),
		events: r.text(),
		links: r.text(),
		droppedAttributes: r.uint32(),
		droppedEvents: r.uint32(),
		droppedLinks: r.uint32(),
		flags: r.uint32(),
		resourceSchemaUrl: r.text(),
		scopeSchemaUrl: r.text(),
		dialect: r.text(),
		mapperVersion: r.uint16(),
		costSource: r.text() as SpanRow['costSource'],
		ledger: readLedger(r),
	}
}

function readLedger(r: RowReader): LedgerEntry[] {
	const dimensions = r.array(() => r.text())
	const quantities = r.array(() => r.count())
	const costs = r.array(() => (r.byte() ? null : r.int64()))
	const rates = r.array(() => (r.byte() ? null : r.count()))
	const factors = r.array(() => r.text())
	const iterations = r.array(() => r.uint16())
	const models = r.array(() => r.text())
	const prices = r.array(() => r.text())
	return dimensions.map((dimension, i) => ({
		dimension,
		quantity: quantities[i] as number,
		costNanoUsd: costs[i] as bigint | null,
		rate: rates[i] as number | null,
		factor: factors[i] as string,
		iteration: iterations[i] as number,
		model: models[i] as string,
		price: prices[i] as string,
	}))
}

class RowReader {
	readonly bytes: Buffer
	position = 0

	constructor(bytes: Buffer) {
		this.bytes = bytes
	}

	byte(): number {
		return this.bytes.readUInt8(this.advance(1))
	}

	uint16(): number {
		return this.bytes.readUInt16LE(this.advance(2))
	}

	uint32(): number {
		return this.bytes.readUInt32LE(this.advance(4))
	}

	int32(): number {
		return this.bytes.readInt32LE(this.advance(4))
	}

	int64(): bigint {
		return this.bytes.readBigInt64LE(this.advance(8))
	}

	uint64(): bigint {
		return this.bytes.readBigUInt64LE(this.advance(8))
	}

	count(): number {
		return Number(this.uint64())
	}

	hex(length: number): string {
		return this.bytes.toString('hex', this.advance(length), this.position)
	}

	optionalHex(length: number): string {
		const digits = this.hex(length)
		return /^0+$/.test(digits) ? '' : digits
	}

	text(): string {
		const length = this.varint()
		return this.bytes.toString('utf8', this.advance(length), this.position)
	}

	attributes(): Attributes {
		const texts = this.pairs()
		const types = new Map(this.pairs())
		return new Map(
			texts.map(([key, text]): [string, AttributeValue] => [key, parseAttribute(text, types.get(key))]),
		)
	}

	array<T>(read: () => T): T[] {
		return Array.from({ length: this.varint() }, read)
	}

	private pairs(): [string, string][] {
		return Array.from({ length: this.varint() }, () => [this.text(), this.text()])
	}

	private varint(): number {
		let value = 0
		for (let factor = 1; ; factor *= 128) {
			const byte = this.byte()
			value += (byte & 127) * factor
			if (byte < 128) return value
		}
	}

	private advance(bytes: number): number {
		const at = this.position
		if (at + bytes > this.bytes.length) throw new RangeError('A row ends too early.')
		this.position += bytes
		return at
	}
}
