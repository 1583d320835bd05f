import { attributeText, typeOfAttribute } from './attribute-text.ts'
import { RowWriter } from './row-writer.ts'
import type { Attributes, SpanRow } from './span-row.ts'

const writer = new RowWriter()

/** One row in the binary form of the `spans` table. */
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
	writeAttributes(w, row.resource)
	w.text(row.events)
	w.text(row.links)
	w.uint32(row.droppedAttributes)
	w.uint32(row.droppedEvents)
	w.uint32(row.droppedLinks)
	w.uint32(row.flags)
	w.text(row.resourceSchemaUrl)
	w.text(row.scopeSchemaUrl)
	writeLedger(w, row)
}

/** What a row says about the call: these columns come from our own records or from the mapping of attributes. */
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

/** Appends the mark of a nullable value; true when its bytes must follow. */
function isPresent<T>(w: RowWriter, value: T | null): value is T {
	w.byte(value === null ? 1 : 0)
	return value !== null
}

export function writeNullable<T>(w: RowWriter, value: T | null, write: (value: T) => void): void {
	w.byte(value === null ? 1 : 0)
	if (value !== null) write(value)
}

/** Appends a map of texts and the map of the types of those that are not text. */
export function writeAttributes(w: RowWriter, attributes: Attributes): void {
	w.varint(attributes.size)
	if (attributes.size === 0) return void w.varint(0)
	let typed = 0
	// Not for-of, which makes an array for each entry.
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

/** Appends the columns `dialect` to `ledger_price`: an array a column, all of the same length. */
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
	// The rule for tool calls: eight empty arrays.
	if (ledger.length === 0) return void w.uint64(0n)
	writeArray(w, ledger, (entry) => w.text(entry.dimension))
	writeArray(w, ledger, (entry) => w.count(entry.quantity))
	writeArray(w, ledger, (entry) => writeNullable(w, entry.costNanoUsd, (value) => w.int64(value)))
	writeArray(w, ledger, (entry) => writeNullable(w, entry.rate, (value) => w.count(value)))
	writeArray(w, ledger, (entry) => w.text(entry.factor))
	writeArray(w, ledger, (entry) => w.uint16(entry.iteration))
	writeArray(w, ledger, (entry) => w.text(entry.model))
	writeArray(w, ledger, (entry) => w.text(entry.price))
}

export function writeArray<T>(w: RowWriter, values: readonly T[], write: (value: T) => void): void {
	w.varint(values.length)
	for (const value of values) write(value)
}
