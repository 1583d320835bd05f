import { attributeText, parseAttribute, typeOfAttribute } from '../attribute-text.ts'
import type { Columns } from '../columns.ts'
import { CallKeys, type KeyedCall, numbersOfNames, type RecordedBy } from '../rollups/call-keys.ts'
import type { RowWriter } from '../row-writer.ts'
import {
	ledgerText,
	originText,
	parseLedger,
	parseOrigin,
	type SpanOrigin,
	spanColumns,
	spanColumnsWithLists,
	spanColumnsWithMaps,
} from '../span-columns.ts'
import type { Attributes, SpanRow } from '../span-row.ts'
import type { Subject } from '../span-row-binary.ts'
import { type Block, type BlockValue, BlockWriter, readBlocks, readColumns } from './block.ts'
import { type ColumnLayout, type ColumnWriter, layoutsOf } from './column-writer.ts'

const viewKeys = ['view_keys', 'Array(UInt64)'] as const
const blockColumns = [...spanColumns, viewKeys] as const

export type SpanColumn = (typeof blockColumns)[number][0]

/**
 * New columns are added at the end, because blocks in the log refer to their columns by number. The engine would compute the view
 * keys where they are missing, so their column is always sent.
 */
export const spanLayouts = withKeys(blockColumns)
/** Layouts of blocks with the resource as maps. */
export const spanLayoutsOfMaps = withKeys([...spanColumnsWithMaps, viewKeys])
/** Layouts of blocks with the ledger as lists. */
export const spanLayoutsOfLists = withKeys([...spanColumnsWithLists, viewKeys])
/** Layouts of blocks written before the view keys existed. */
export const spanLayoutsWithoutKeys = layoutsOf(spanColumnsWithLists)

function withKeys(columns: Columns): readonly ColumnLayout[] {
	return layoutsOf(columns).map((layout) =>
		layout.name === viewKeys[0] ? { ...layout, isAlwaysThere: true } : layout,
	)
}

type Billing = Pick<SpanRow, 'dialect' | 'mapperVersion' | 'costSource' | 'ledger'>
/** The origin of a span; `text` is that of the column. */
interface Place extends Pick<SpanRow, 'serviceName' | 'scopeName' | 'scopeVersion'> {
	text: string
}

/** Writes spans into a block. */
export class SpanBlockWriter {
	readonly block = new BlockWriter(spanLayouts)
	/** The resource and the URLs of the last row, which mostly repeat row after row. */
	#origin: { of: SpanOrigin | null; text: string } = { of: null, text: '' }
	readonly columns = Object.fromEntries(
		blockColumns.map(([name], number) => [name, this.block.columns[number]]),
	) as Readonly<Record<SpanColumn, ColumnWriter>>
	readonly #keys = new CallKeys()
	readonly #names = new AttributeNames()

	/** Writes a complete row. */
	add(row: SpanRow): void {
		const { columns: c, block } = this
		const at = block.rows
		this.keep(row.workspaceId, row.retentionDays)
		c.started_at.begin(at).int64(row.startNs)
		c.duration_ns.begin(at).uint64(row.durationNs)
		c.trace_id.begin(at).hex(row.traceId, 16)
		c.span_id.begin(at).hex(row.spanId, 8)
		if (row.parentSpanId !== '') c.parent_span_id.begin(at).hex(row.parentSpanId, 8)
		c.trace_state.text(at, row.traceState)
		c.name.text(at, row.name)
		if (row.otlpKind !== 0) c.otlp_kind.begin(at).byte(row.otlpKind)
		c.source.text(at, row.source)
		c.status.text(at, row.status)
		c.status_message.text(at, row.statusMessage)
		const { serviceName, scopeName, scopeVersion } = row
		this.place({ serviceName, scopeName, scopeVersion, text: this.#originOf(row) })
		this.subject(row)
		this.#attributes(row.attributes)
		this.viewKeys(row, row, this.#names.numbersOf(row.attributes))
		c.events.text(at, row.events)
		c.links.text(at, row.links)
		c.dropped_attributes.uint32(at, row.droppedAttributes)
		c.dropped_events.uint32(at, row.droppedEvents)
		c.dropped_links.uint32(at, row.droppedLinks)
		c.flags.uint32(at, row.flags)
		block.rows++
	}

	/** Sets the row's workspace and retention. */
	keep(workspaceId: string, retentionDays: number): void {
		const { columns: c, block } = this
		if (!c.workspace_id.repeats(block.rows, workspaceId))
			c.workspace_id.begin(block.rows, workspaceId).text(workspaceId)
		if (!c.retention_days.repeats(block.rows, retentionDays))
			c.retention_days.begin(block.rows, retentionDays).uint16(retentionDays)
	}

	#originOf(row: SpanOrigin): string {
		const { of } = this.#origin
		const isSame =
			of?.resource === row.resource &&
			of.resourceSchemaUrl === row.resourceSchemaUrl &&
			of.scopeSchemaUrl === row.scopeSchemaUrl
		if (isSame) return this.#origin.text
		const text = originText(row)
		const { resource, resourceSchemaUrl, scopeSchemaUrl } = row
		this.#origin = { of: { resource, resourceSchemaUrl, scopeSchemaUrl }, text }
		return text
	}

	/** Sets the row's origin (resource and scope). */
	place(place: Place): void {
		const { columns: c, block } = this
		const at = block.rows
		c.service_name.text(at, place.serviceName)
		c.scope_name.text(at, place.scopeName)
		c.scope_version.text(at, place.scopeVersion)
		c.origin.text(at, place.text)
	}

	/** Sets the columns `kind` and `error_type`, `agent_id` to `response_bytes`, and `dialect` to `ledger`. */
	subject(row: Subject & Billing & Pick<SpanRow, 'kind' | 'errorType'>): void {
		const { columns: c, block } = this
		const at = block.rows
		c.kind.text(at, row.kind)
		c.error_type.text(at, row.errorType)
		c.agent_id.text(at, row.agentId)
		c.agent_name.text(at, row.agentName)
		c.server_id.text(at, row.serverId)
		c.server_name.text(at, row.serverName)
		c.tool_name.text(at, row.toolName)
		c.mcp_method.text(at, row.mcpMethod)
		c.credential_id.text(at, row.credentialId)
		c.session_id.text(at, row.sessionId)
		c.user_id.text(at, row.userId)
		c.client.text(at, row.client)
		c.connection.text(at, row.connection)
		c.provider.text(at, row.provider)
		c.model_requested.text(at, row.modelRequested)
		c.model.text(at, row.model)
		c.input_tokens.count(at, row.inputTokens)
		c.cache_read_tokens.count(at, row.cacheReadTokens)
		c.cache_write_tokens.count(at, row.cacheWriteTokens)
		c.output_tokens.count(at, row.outputTokens)
		c.reasoning_tokens.count(at, row.reasoningTokens)
		c.usage_source.text(at, row.usageSource)
		c.cost_nano_usd.nullable(at, row.costNanoUsd, int64)
		c.time_to_first_token_ns.nullable(at, row.timeToFirstTokenNs, uint64)
		c.http_status.nullable(at, row.httpStatus, uint16)
		c.rpc_code.nullable(at, row.rpcCode, int32)
		c.request_bytes.count(at, row.requestBytes)
		c.response_bytes.count(at, row.responseBytes)
		c.dialect.text(at, row.dialect)
		if (row.mapperVersion !== 0) c.mapper_version.begin(at).uint16(row.mapperVersion)
		c.cost_source.text(at, row.costSource)
		if (row.ledger.length > 0) c.ledger.text(at, ledgerText(row.ledger))
	}

	/**
	 * Sets the view keys of a call whose attributes are already written. `numbers`: see `numbersOfNames`, where the names are known.
	 */
	viewKeys(call: KeyedCall, by: RecordedBy, numbers?: Int8Array): void {
		if (call.kind !== 'tool_call' && call.kind !== 'model_call') return
		const { columns: c, block } = this
		const [, keys, values] = c.attributes.streams as [RowWriter, RowWriter, RowWriter]
		const [countAt, keysAt, valuesAt] = c.attributes.startsOf(block.rows)
		const count = countAt === undefined ? 0 : (c.attributes.streams[0]?.buffer.readUInt32LE(countAt) ?? 0)
		const starts = [keysAt ?? 0, valuesAt ?? 0] as const
		const halves = this.#keys.of(call, by, { count, keys, values, starts, numbers })
		if (halves.length === 0) return
		c.view_keys.begin(block.rows).uint32(halves.length / 2)
		for (const half of halves) c.view_keys.streams[1]?.uint32(half >>> 0)
	}

	/** A map of values as text, and a map of the types of values that are not text. */
	#attributes(attributes: Attributes): void {
		const { columns: c, block } = this
		if (attributes.size === 0) return
		c.attributes.begin(block.rows).uint32(attributes.size)
		const [, keys, values] = c.attributes.streams as [RowWriter, RowWriter, RowWriter]
		for (const value of attributes.values()) values.text(attributeText(value))
		this.#names.write(keys, attributes)
		const typed = countTyped(attributes)
		if (typed === 0) return
		c.attribute_types.begin(block.rows).uint32(typed)
		const [, typeKeys, types] = c.attribute_types.streams as [RowWriter, RowWriter, RowWriter]
		attributes.forEach((value, key) => {
			const type = typeOfAttribute(value)
			if (type === '') return
			typeKeys.text(key)
			types.text(type)
		})
	}
}

interface NamesInOrder {
	names: string[]
	bytes: Buffer
	numbers: Int8Array
}

/** The attribute names of recent rows: rows of one kind have the same names in the same order. */
class AttributeNames {
	/** By the number of attributes. */
	readonly #known: (NamesInOrder | undefined)[] = []
	#last: { of: Attributes; numbers: Int8Array } | null = null

	write(keys: RowWriter, attributes: Attributes): void {
		this.#last = null
		const known = this.#known[attributes.size]
		if (known && isInOrder(known.names, attributes)) {
			this.#last = { of: attributes, numbers: known.numbers }
			return void keys.raw(known.bytes)
		}
		const start = keys.position
		for (const key of attributes.keys()) keys.text(key)
		if (attributes.size > maxNames) return
		const names = [...attributes.keys()]
		const bytes = Buffer.from(keys.buffer.subarray(start, keys.position))
		this.#known[attributes.size] = { names, bytes, numbers: numbersOfNames(names) }
	}

	/** The key numbers of the attributes written last; undefined if they must be looked up. */
	numbersOf(attributes: Attributes): Int8Array | undefined {
		return this.#last?.of === attributes ? this.#last.numbers : undefined
	}
}

/** Larger rows rarely repeat the same names. */
const maxNames = 64

function isInOrder(names: readonly string[], attributes: Attributes): boolean {
	let at = 0
	for (const key of attributes.keys()) if (key !== names[at++]) return false
	return true
}

function countTyped(attributes: Attributes): number {
	let typed = 0
	attributes.forEach((value) => {
		if (typeof value !== 'string') typed++
	})
	return typed
}

const int64 = (w: RowWriter, value: bigint) => w.int64(value)
const uint64 = (w: RowWriter, value: bigint) => w.uint64(value)
const uint16 = (w: RowWriter, value: number) => w.uint16(value)
const int32 = (w: RowWriter, value: number) => w.int32(value)

let shared: SpanBlockWriter | null = null

/** The writer of this thread, shared because the buffers of all columns take a megabyte. */
export function spanBlockWriter(): SpanBlockWriter {
	shared ??= new SpanBlockWriter()
	shared.block.reset()
	return shared
}

/** Encodes spans as a block. */
export function encodeSpanBlock(rows: readonly SpanRow[]): Buffer<ArrayBuffer> {
	const writer = spanBlockWriter()
	for (const row of rows) writer.add(row)
	return writer.block.take()
}

/** Decodes the spans of blocks, all or the first `limit`. Throws `Unreadable`. */
export function decodeSpanBlock(bytes: Uint8Array, limit = Number.POSITIVE_INFINITY): SpanRow[] {
	const rows: SpanRow[] = []
	for (const block of readBlocks(bytes, spanLayouts)) {
		const count = Math.min(block.rows, limit - rows.length)
		if (count <= 0) break
		rows.push(...spansIn(block, count))
	}
	return rows
}

/** The first `count` rows of a block. */
export function spansIn(block: Block, count: number): SpanRow[] {
	const values = readColumns(block, spanLayouts, count)
	return Array.from({ length: count }, (_, row) => spanAt((name) => values.get(name)?.[row]))
}

/** A row from its columns; columns that the block omits are undefined. */
function spanAt(valueIn: (name: SpanColumn) => BlockValue | undefined): SpanRow {
	const text = <T extends string>(name: SpanColumn) => (valueIn(name) ?? '') as T
	const number = (name: SpanColumn) => Number(valueIn(name) ?? 0)
	const exact = (name: SpanColumn) => (valueIn(name) ?? 0n) as bigint
	const nullable = <T>(name: SpanColumn) => (valueIn(name) ?? null) as T | null
	return {
		workspaceId: text('workspace_id'),
		retentionDays: number('retention_days'),
		startNs: exact('started_at'),
		durationNs: exact('duration_ns'),
		traceId: text('trace_id'),
		spanId: text('span_id'),
		parentSpanId: text('parent_span_id').replace(/^0+$/, ''),
		traceState: text('trace_state'),
		name: text('name'),
		otlpKind: number('otlp_kind'),
		source: text<SpanRow['source']>('source'),
		kind: text<SpanRow['kind']>('kind'),
		status: text<SpanRow['status']>('status'),
		statusMessage: text('status_message'),
		errorType: text('error_type'),
		serviceName: text('service_name'),
		scopeName: text('scope_name'),
		scopeVersion: text('scope_version'),
		agentId: text('agent_id'),
		agentName: text('agent_name'),
		serverId: text('server_id'),
		serverName: text('server_name'),
		toolName: text('tool_name'),
		mcpMethod: text('mcp_method'),
		credentialId: text('credential_id'),
		sessionId: text('session_id'),
		userId: text('user_id'),
		client: text('client'),
		connection: text('connection'),
		provider: text('provider'),
		modelRequested: text('model_requested'),
		model: text('model'),
		inputTokens: number('input_tokens'),
		cacheReadTokens: number('cache_read_tokens'),
		cacheWriteTokens: number('cache_write_tokens'),
		outputTokens: number('output_tokens'),
		reasoningTokens: number('reasoning_tokens'),
		usageSource: text<SpanRow['usageSource']>('usage_source'),
		costNanoUsd: nullable<bigint>('cost_nano_usd'),
		timeToFirstTokenNs: nullable<bigint>('time_to_first_token_ns'),
		httpStatus: nullable<number>('http_status'),
		rpcCode: nullable<number>('rpc_code'),
		requestBytes: number('request_bytes'),
		responseBytes: number('response_bytes'),
		attributes: attributesOf(valueIn('attributes'), valueIn('attribute_types')),
		...parseOrigin(text('origin')),
		events: text('events'),
		links: text('links'),
		droppedAttributes: number('dropped_attributes'),
		droppedEvents: number('dropped_events'),
		droppedLinks: number('dropped_links'),
		flags: number('flags'),
		dialect: text('dialect'),
		mapperVersion: number('mapper_version'),
		costSource: text<SpanRow['costSource']>('cost_source'),
		ledger: parseLedger(text('ledger')),
	}
}

function attributesOf(texts: BlockValue | undefined, types: BlockValue | undefined): Attributes {
	const typeOf = new Map((types ?? []) as [string, string][])
	return new Map(
		((texts ?? []) as [string, string][]).map(([key, text]) => [key, parseAttribute(text, typeOf.get(key))]),
	)
}
