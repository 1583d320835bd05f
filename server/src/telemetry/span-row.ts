import type { SpanStatus, spanKinds, spanSources } from '@signalbox/contract'
import type { LedgerEntry } from '../ledger/ledger.ts'

/** An attribute's value as OTLP defines it, including bytes and empty values. */
export type AttributeValue =
	| string
	| number
	| bigint
	| boolean
	| null
	| Uint8Array
	| AttributeValue[]
	| { [key: string]: AttributeValue }
export type Attributes = ReadonlyMap<string, AttributeValue>

/**
 * One recorded operation: a span from an SDK, a gateway call or a model call. Everything that Signalbox records has this form. Absent
 * texts and ids are ''; absent figures are null where zero would be a claim.
 */
export interface SpanRow {
	workspaceId: string
	/** Retention in days. */
	retentionDays: number
	/** 32 lower-case hex digits. */
	traceId: string
	/** 16 lower-case hex digits. */
	spanId: string
	/** 16 lower-case hex digits, or ''. */
	parentSpanId: string
	traceState: string
	name: string
	/** The number of OTLP's SpanKind: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
	otlpKind: number
	source: (typeof spanSources)[number]
	kind: (typeof spanKinds)[number]
	status: SpanStatus
	statusMessage: string
	errorType: string
	/** Nanoseconds since 1970. */
	startNs: bigint
	durationNs: bigint
	serviceName: string
	scopeName: string
	scopeVersion: string
	agentId: string
	agentName: string
	serverId: string
	serverName: string
	toolName: string
	mcpMethod: string
	/** The credential used for the call. */
	credentialId: string
	sessionId: string
	userId: string
	/** Name and version of the client program, `name/version`. */
	client: string
	connection: string
	provider: string
	modelRequested: string
	model: string
	/** Exclusive counts: input without cache reads and writes, output without reasoning. */
	inputTokens: number
	cacheReadTokens: number
	cacheWriteTokens: number
	outputTokens: number
	reasoningTokens: number
	/** '' if no model was called. */
	usageSource: '' | 'reported' | 'estimated' | 'missing'
	/** Null if it is not a model call, or is unpriced. */
	costNanoUsd: bigint | null
	timeToFirstTokenNs: bigint | null
	/** HTTP status of a model call, or JSON-RPC code of an MCP call; null if there was none. */
	httpStatus: number | null
	rpcCode: number | null
	requestBytes: number
	responseBytes: number
	attributes: Attributes
	resource: Attributes
	/** A JSON array in OTLP's own JSON form; '' if empty. */
	events: string
	links: string
	droppedAttributes: number
	droppedEvents: number
	droppedLinks: number
	flags: number
	resourceSchemaUrl: string
	scopeSchemaUrl: string
	/** Whose conventions the attributes follow; '' for our own records and where none is recognised. */
	dialect: string
	/** Version of the mapper that derived the columns from attributes; 0 for our own records. */
	mapperVersion: number
	/** The source of `costNanoUsd`: our prices, or the sender. */
	costSource: '' | 'computed' | 'reported'
	ledger: readonly LedgerEntry[]
}

/** The release that a server reports of itself; on tool calls that the gateway forwarded. */
export const releaseAttribute = 'signalbox.server.version'

/** The default retention of rows. */
export const defaultRetentionDays = 30

const none: Attributes = new Map()

/** A row with the given members; everything else is absent. */
export function newSpanRow(
	given: Pick<SpanRow, 'workspaceId' | 'traceId' | 'spanId' | 'name' | 'source' | 'kind' | 'startNs'> &
		Partial<SpanRow>,
): SpanRow {
	return Object.assign({ ...absent }, given)
}

/** Has all members, so that a row is a copy of it: adding members to an object one by one takes ten times as long. */
const absent: SpanRow = {
	workspaceId: '',
	traceId: '',
	spanId: '',
	name: '',
	source: 'otlp',
	kind: 'other',
	startNs: 0n,
	retentionDays: defaultRetentionDays,
	parentSpanId: '',
	traceState: '',
	otlpKind: 0,
	status: 'unset',
	statusMessage: '',
	errorType: '',
	durationNs: 0n,
	serviceName: '',
	scopeName: '',
	scopeVersion: '',
	agentId: '',
	agentName: '',
	serverId: '',
	serverName: '',
	toolName: '',
	mcpMethod: '',
	credentialId: '',
	sessionId: '',
	userId: '',
	client: '',
	connection: '',
	provider: '',
	modelRequested: '',
	model: '',
	inputTokens: 0,
	cacheReadTokens: 0,
	cacheWriteTokens: 0,
	outputTokens: 0,
	reasoningTokens: 0,
	usageSource: '',
	costNanoUsd: null,
	timeToFirstTokenNs: null,
	httpStatus: null,
	rpcCode: null,
	requestBytes: 0,
	responseBytes: 0,
	attributes: none,
	resource: none,
	events: '',
	links: '',
	droppedAttributes: 0,
	droppedEvents: 0,
	droppedLinks: 0,
	flags: 0,
	resourceSchemaUrl: '',
	scopeSchemaUrl: '',
	dialect: '',
	mapperVersion: 0,
	costSource: '',
	ledger: [],
}
