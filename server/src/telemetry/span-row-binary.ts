import { attributeText, parseAttribute, typeOfAttribute } from './attribute-text.ts'
import { RowWriter } from './row-writer.ts'
import { ledgerText, originText, parseLedger, parseOrigin } from './span-columns.ts'
import type { Attributes, AttributeValue, SpanRow } from './span-row.ts'

/**
 * Decodes rows in the binary form of the `spans` table in the current format, all or the first `limit`. Throws RangeError if the bytes
 * are truncated.
 */
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
		events: r.text(),
		links: r.text(),
		droppedAttributes: r.uint32(),
		droppedEvents: r.uint32(),
		droppedLinks: r.uint32(),
		flags: r.uint32(),
		dialect: r.text(),
		mapperVersion: r.uint16(),
		costSource: r.text() as SpanRow['costSource'],
		ledger: parseLedger(r.text()),
		...parseOrigin(r.text()),
	}
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

const writer = new RowWriter()

/** Encodes one row in the binary form of the `spans` table. */
export function encodeSpanRow(row: SpanRow): Buffer {
	writer.reset()
	writeSpanRow(writer, row)
	return writer.takeSmall()
}

/** Appends a row in the order of `span-columns.ts`. */
function writeSpanRow(w: RowWriter, row: SpanRow): void {
	w.text(row.workspaceId)
	w.uint16(row.retentionDays)
	w.int64(row.startNs)
	w.uint64(row.durationNs)
	w.hex(row.traceId, 16)
	w.hex(row.spanId, 8)
	w.hex(row.parentSpanId, 8)
	w.text(row.traceState)
	w.text(row.name)
	w.byte(row.otlpKind)
	w.text(row.source)
	w.text(row.kind)
	w.text(row.status)
	w.text(row.statusMessage)
	w.text(row.errorType)
	w.text(row.serviceName)
	w.text(row.scopeName)
	w.text(row.scopeVersion)
	writeSubject(w, row)
	writeAttributes(w, row.attributes)
	w.text(row.events)
	w.text(row.links)
	w.uint32(row.droppedAttributes)
	w.uint32(row.droppedEvents)
	w.uint32(row.droppedLinks)
	w.uint32(row.flags)
	writeLedger(w, row)
	w.text(originText(row))
}

/** The facts of a row about its call. The columns come from our own records or from the mapping of attributes. */
export type Subject = Pick<
	SpanRow,
	| 'agentId'
	| 'agentName'
	| 'serverId'
	| 'serverName'
	| 'toolName'
	| 'mcpMethod'
	| 'credentialId'
	| 'sessionId'
	| 'userId'
	| 'client'
	| 'connection'
	| 'provider'
	| 'modelRequested'
	| 'model'
	| 'inputTokens'
	| 'cacheReadTokens'
	| 'cacheWriteTokens'
	| 'outputTokens'
	| 'reasoningTokens'
	| 'usageSource'
	| 'costNanoUsd'
	| 'timeToFirstTokenNs'
	| 'httpStatus'
	| 'rpcCode'
	| 'requestBytes'
	| 'responseBytes'
>

/** Appends the columns `agent_id` to `response_bytes`. */
function writeSubject(w: RowWriter, row: Subject): void {
	w.text(row.agentId)
	w.text(row.agentName)
	w.text(row.serverId)
	w.text(row.serverName)
	w.text(row.toolName)
	w.text(row.mcpMethod)
	w.text(row.credentialId)
	w.text(row.sessionId)
	w.text(row.userId)
	w.text(row.client)
	w.text(row.connection)
	w.text(row.provider)
	w.text(row.modelRequested)
	w.text(row.model)
	w.count(row.inputTokens)
	w.count(row.cacheReadTokens)
	w.count(row.cacheWriteTokens)
	w.count(row.outputTokens)
	w.count(row.reasoningTokens)
	w.text(row.usageSource)
	if (isPresent(w, row.costNanoUsd)) w.int64(row.costNanoUsd)
	if (isPresent(w, row.timeToFirstTokenNs)) w.uint64(row.timeToFirstTokenNs)
	if (isPresent(w, row.httpStatus)) w.uint16(row.httpStatus)
	if (isPresent(w, row.rpcCode)) w.int32(row.rpcCode)
	w.count(row.requestBytes)
	w.count(row.responseBytes)
}

/** Appends the null marker of a nullable value; true if its bytes must follow. */
function isPresent<T>(w: RowWriter, value: T | null): value is T {
	w.byte(value === null ? 1 : 0)
	return value !== null
}

export function writeNullable<T>(w: RowWriter, value: T | null, write: (value: T) => void): void {
	w.byte(value === null ? 1 : 0)
	if (value !== null) write(value)
}

/** Appends a map of values as text, and a map of the types of values that are not text. */
export function writeAttributes(w: RowWriter, attributes: Attributes): void {
	w.varint(attributes.size)
	if (attributes.size === 0) return void w.varint(0)
	let typed = 0
	// A for-of loop would allocate an array for each entry.
	attributes.forEach((value, key) => {
		w.text(key)
		w.text(attributeText(value))
		if (typeof value !== 'string') typed++
	})
	w.varint(typed)
	if (typed === 0) return
	attributes.forEach((value, key) => {
		const type = typeOfAttribute(value)
		if (type === '') return
		w.text(key)
		w.text(type)
	})
}

/** Appends the columns `dialect` to `ledger`. */
function writeLedger(
	w: RowWriter,
	{
		dialect,
		mapperVersion,
		costSource,
		ledger,
	}: Pick<SpanRow, 'dialect' | 'mapperVersion' | 'costSource' | 'ledger'>,
): void {
	w.text(dialect)
	w.uint16(mapperVersion)
	w.text(costSource)
	w.text(ledgerText(ledger))
}

export function writeArray<T>(w: RowWriter, values: readonly T[], write: (value: T) => void): void {
	w.varint(values.length)
	for (const value of values) write(value)
}
