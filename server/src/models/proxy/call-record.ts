import type { IncomingHttpHeaders } from 'node:http'
import type { OnDisconnect, Provider, Vendor } from '@signalbox/contract'
import { callCutText } from '@signalbox/contract/span-status'
import type { PriceCall } from '../../ledger/ledger.ts'
import { Problem } from '../../platform/errors.ts'
import { redactText } from '../../platform/redaction/redact.ts'
import type { TraceContext } from '../../platform/trace/current-trace.ts'
import { type AttributeValue, newSpanRow, type SpanRow } from '../../telemetry/call-rows/index.ts'
import { billOf } from './bill-call.ts'
import { outputLimitFields } from './call-allowance.ts'
import type { BodyHashes, CallBody } from './call-body.ts'
import { type CallTags, readTags, taggedFields } from './call-tags.ts'
import { isWhole, type Reading, type Surface } from './providers/provider.ts'
import type { Step } from './reliability/call-plan.ts'

/** What is known about a call before its body is read. */
export interface CallFacts {
	requestId: string
	trace: TraceContext
	startNs: bigint
	workspaceId: string
	credentialId: string
	agentId: string
	agentName: string
	connection: string
	/** '' if there is no such connection. */
	provider: Provider | ''
	/** Under whom it is recorded and priced; absent: its provider, as in records of earlier versions. */
	vendor?: Vendor | ''
	method: string
	/** Without the query string. */
	path: string
	headers: IncomingHttpHeaders
	/** What happens to the call when its client disconnects. */
	onDisconnect: OnDisconnect
}

/** How a call ended, for the record. */
export type Ending =
	| { kind: 'complete' }
	| { kind: 'client_gone' }
	| { kind: 'refused'; problem: Problem }
	| { kind: 'failed'; problem: Problem; errorType: string }

/** The ending of a call that exceeded its total time. */
export function tooLong(totalMs: number): Ending {
	const problem = new Problem('upstream_timeout', `The call took longer than ${totalMs} ms.`)
	return { kind: 'failed', problem, errorType: 'timeout' }
}

/** The recorded facts about a call's target. */
export interface RowTarget {
	surface: Surface | null
	/** Whether the caller's own provider key was used. */
	ownKey: boolean
}

/** The recorded facts about a call's request. */
interface BodyFacts {
	/** The `recordedFields` of its body; absent if it cannot be read. */
	values: ReadonlyMap<string, unknown> | undefined
	/** The size of the body as sent by the client. */
	bytes: number
	fault: string | null
}

/** A summary of an attempt for the record of its call. */
export interface AttemptSummary {
	connection: string
	model?: string
	status: number | null
	error_type?: string
	request_id?: string
	duration_ms: number
}

/** How a call ended, in the form stored in the log: without anything that could contain a provider's credential. */
export interface EndFacts {
	durationNs: number
	ending: EndingFacts
	/** Whether a provider may have worked on it. */
	sent: boolean
	/** Whether work that it started is recorded later, as a separate call. */
	deferred: boolean
	/** Whether it continued after its client had disconnected. */
	unattended: boolean
	/** The last target; null if the call was never planned. */
	step: StepFacts | null
	/** The name of its route, or ''. */
	route: string
	/** The attempts in order; a call that was cut omits its last one. */
	attempts: readonly AttemptSummary[]
	/** Time to the first content, in nanoseconds. */
	firstContentNs: number | null
	/** The status that the client got. */
	httpStatus: number | null
	/** The provider's status; null if it has not answered. */
	answered: number | null
	responseBytes: number
	providerRequestId: string
	/** The provider's rate limit headers, name and value. */
	limitHeaders: readonly (readonly [string, string])[]
	/** For a stream: the gaps between chunks, in ms. */
	gaps: { p50: number; p95: number; max: number } | null
	/** The `Server-Timing` sent to the client; '' if no answer began. */
	timing: string
	/** What hooks did, as JSON; '' for nothing. */
	hooks: string
}

export interface EndingFacts {
	kind: Ending['kind']
	/** Set for a refusal or a failure. */
	problem?: { code: string; status: number; message: string }
	errorType?: string
}

interface StepFacts {
	connection: string
	provider: Provider
	/** As in `Target`; absent in records of earlier versions. */
	vendor?: Vendor
	/** See `Step`. */
	model: string | null
	usageInjected: boolean
}

/** The part of an answer's reading that its record needs. */
export type RowReading = Omit<Reading, 'objects' | 'results' | 'deferred'>

/** The fields of a body that a call's record and its budgets need. */
export const recordedFields: ReadonlySet<string> = new Set([
	...['model', 'agent', 'stream'],
	...taggedFields,
	...outputLimitFields,
])

/** The recorded facts about a body as sent by the client. */
export function factsOfBody(body: CallBody): BodyFacts {
	return { values: body.fields(recordedFields), bytes: body.bytes.length, fault: body.fault }
}

/** Of the first step of a call. */
export function rowTargetOf(step: Pick<Step, 'target' | 'inPath'> | null): RowTarget | null {
	if (!step) return null
	const { target, inPath } = step
	const { surface } = target
	const asked = surface && inPath !== undefined ? { ...surface, model: inPath } : surface
	return { surface: asked, ownKey: target.ownKey !== null }
}

const noFields: ReadonlyMap<string, unknown> = new Map()

/** The requested model, as named in records; '' for none. */
export function requestedModel(
	surface: Pick<Surface, 'model' | 'operation'> | null,
	values: ReadonlyMap<string, unknown> | undefined,
): string {
	const model = textOf(surface?.model ?? values?.get('model'))
	// An interaction is with a model, or with one of Google's agents.
	return model === '' && surface?.operation === 'interactions' ? textOf(values?.get('agent')) : model
}

/** The row of a call when nothing more is known: announced before the call, completed by `outcomeRow`. */
export function draftRow(
	facts: CallFacts,
	target: RowTarget | null,
	bodyFacts: BodyFacts | null = null,
): SpanRow {
	const body = bodyFacts?.values ?? noFields
	const model = requestedModel(target?.surface ?? null, body)
	const operation = target?.surface?.operation ?? operationOf(facts.path)
	const tags = readTags(facts.headers, body)
	const { traceId, spanId, parentSpanId, traceState, flags } = facts.trace
	const row = newSpanRow({
		workspaceId: facts.workspaceId,
		traceId,
		spanId,
		name: model ? `${operation} ${model}` : operation,
		source: 'model_proxy',
		kind: (target?.surface?.modelCall ?? model !== '') ? 'model_call' : 'other',
		startNs: facts.startNs,
	})
	row.parentSpanId = parentSpanId
	row.traceState = traceState
	row.flags = flags
	row.otlpKind = 3
	row.status = 'interrupted'
	row.errorType = 'process_ended'
	row.agentId = facts.agentId
	row.agentName = facts.agentName
	row.credentialId = facts.credentialId
	row.sessionId = tags.sessionId
	row.userId = tags.userId
	row.client = tags.client
	row.connection = facts.connection
	row.provider = facts.vendor ?? facts.provider
	row.modelRequested = model
	row.requestBytes = bodyFacts?.bytes ?? 0
	row.attributes = draftAttributes(facts, target, operation, body, tags, bodyFacts?.fault ?? null)
	return row
}

function draftAttributes(
	facts: CallFacts,
	target: RowTarget | null,
	operation: string,
	body: ReadonlyMap<string, unknown>,
	{ tags }: CallTags,
	fault: string | null,
): Map<string, AttributeValue> {
	const attributes = new Map<string, AttributeValue>()
		.set('gen_ai.operation.name', operation)
		.set('gen_ai.provider.name', facts.vendor ?? facts.provider)
		.set('http.request.method', facts.method)
		.set('url.path', facts.path)
		.set('signalbox.request_id', facts.requestId)
		.set('signalbox.stream', body.get('stream') === true)
	if (fault !== null) attributes.set('signalbox.request_unread', fault)
	if (target) attributes.set('signalbox.key_source', target.ownKey ? 'caller' : 'connection')
	for (const [name, value] of tags) attributes.set(`signalbox.tag.${name}`, value)
	return attributes
}

/** Completes the row of a call that has ended. `row` is its draft, which is modified. */
export function outcomeRow(
	row: SpanRow,
	figures: EndFacts,
	reading: RowReading | null,
	hashes: BodyHashes,
	priceCall: PriceCall,
): SpanRow {
	const outcome = outcomeOfCall(figures, reading)
	const bill = billOf(row, figures, outcome.errorType, reading, priceCall)
	// Assigned one by one: spreading three objects into one with sixty members takes ten times as long.
	row.status = outcome.status
	row.errorType = outcome.errorType
	row.statusMessage = outcome.statusMessage && redactText(outcome.statusMessage).slice(0, 500)
	row.kind = bill.kind
	row.provider = bill.provider
	row.connection = bill.connection
	row.model = bill.model
	row.inputTokens = bill.inputTokens
	row.cacheReadTokens = bill.cacheReadTokens
	row.cacheWriteTokens = bill.cacheWriteTokens
	row.outputTokens = bill.outputTokens
	row.reasoningTokens = bill.reasoningTokens
	row.usageSource = bill.usageSource
	row.costNanoUsd = bill.costNanoUsd
	row.ledger = bill.ledger
	row.costSource = bill.costNanoUsd === null ? '' : 'computed'
	row.durationNs = BigInt(figures.durationNs)
	row.timeToFirstTokenNs = figures.firstContentNs === null ? null : BigInt(figures.firstContentNs)
	row.httpStatus = figures.httpStatus
	row.responseBytes = figures.responseBytes
	addOutcome(row.attributes as Map<string, AttributeValue>, figures, reading, hashes)
	return row
}

/** The problem that the client gets. A call that has been sent is never reported as refused. */
export function problemForClient(ending: Ending & { problem: Problem }, sent: boolean): Problem {
	const { problem } = ending
	if (!sent) return problem
	// No right was revoked: the store of permissions is unreachable, as new calls are told too.
	if (problem.code === 'stale_permissions')
		return new Problem(problem.code, callCutText(problem.message), { retryAfterS: 1, cause: problem })
	if (ending.kind === 'refused')
		return new Problem('call_cut', callCutText(problem.message), { cause: problem })
	if (ending.kind === 'failed' && ending.errorType === 'timeout')
		return new Problem(problem.code, callCutText(problem.message), { cause: problem.cause })
	return problem
}

/** What readers return for an error without a type. */
const untyped = 'error'

/** An error without a type is named by its status. */
export function errorTypeOf(errorType: string, httpStatus: number | null): string {
	const isNamed = (httpStatus ?? 0) < 400 || (errorType !== '' && errorType !== untyped)
	return isNamed ? errorType : `http_${httpStatus}`
}

type Outcome = Pick<SpanRow, 'status' | 'errorType' | 'statusMessage'>

function outcomeOfCall({ ending, httpStatus, sent }: EndFacts, reading: RowReading | null): Outcome {
	const { code = '', status = 0, message = '' } = ending.problem ?? {}
	const failed = (httpStatus ?? 0) >= 400 || Boolean(reading?.errorType)
	// Many clients disconnect at the last event or at an error, before the connection ends; some once they have the end of the answer
	// and its usage.
	const hasAnswer = reading !== null && isWhole(reading)
	if (ending.kind === 'client_gone' && !hasAnswer && !failed) {
		return { status: 'interrupted', errorType: 'client_disconnected', statusMessage: '' }
	}
	if (ending.kind === 'refused') {
		if (sent) return { status: 'cut', errorType: code, statusMessage: callCutText(message) }
		return {
			status: status === 401 || status === 403 ? 'denied' : 'error',
			errorType: code,
			statusMessage: message,
		}
	}
	if (ending.kind === 'failed') {
		const { errorType = '' } = ending
		if (sent && errorType === 'timeout')
			return { status: 'cut', errorType, statusMessage: callCutText(message) }
		return { status: 'error', errorType, statusMessage: message }
	}
	if (failed) {
		const errorType = errorTypeOf(reading?.errorType ?? '', httpStatus)
		return { status: 'error', errorType, statusMessage: reading?.errorMessage ?? '' }
	}
	return { status: 'ok', errorType: '', statusMessage: '' }
}

function addOutcome(
	attributes: Map<string, AttributeValue>,
	figures: EndFacts,
	reading: RowReading | null,
	hashes: BodyHashes,
): void {
	const { providerRequestId, route, step, attempts, unattended } = figures
	const set = (name: string, value: string) => {
		if (value) attributes.set(name, value)
	}
	set('signalbox.provider_request_id', providerRequestId)
	set('signalbox.route', route)
	set('signalbox.server_timing', figures.timing)
	set('signalbox.hooks', figures.hooks)
	for (const [name, value] of figures.limitHeaders) set(`http.response.header.${name}`, value)
	addGaps(attributes, figures.gaps)
	set('signalbox.body_hash.request', hashes.request)
	set('signalbox.body_hash.request_sent', hashes.requestSent)
	set('signalbox.body_hash.response', hashes.response)
	set('signalbox.body_hash.response_passed', hashes.responsePassed)
	if (unattended) attributes.set('signalbox.unattended', true)
	if (step?.usageInjected) attributes.set('signalbox.usage_injected', true)
	set('signalbox.model_sent', step?.model ?? '')
	if (step?.vendor) addKind(attributes, step.vendor, step.provider)
	if (route) set('signalbox.attempts', JSON.stringify(attempts))
	if (reading) addReading(attributes, reading)
}

/** Adds the kind of the call's connection if it is recorded under another vendor. Prices may name either, also once the connection is gone. */
export function addKind(attributes: Map<string, AttributeValue>, vendor: Vendor, kind: Provider): void {
	if (vendor !== kind) attributes.set('signalbox.connection.provider', kind)
}

/** Adds the gaps between a stream's chunks, in ms. */
function addGaps(attributes: Map<string, AttributeValue>, gaps: EndFacts['gaps']): void {
	if (gaps === null) return
	attributes
		.set('signalbox.stream.gap_ms.p50', gaps.p50)
		.set('signalbox.stream.gap_ms.p95', gaps.p95)
		.set('signalbox.stream.gap_ms.max', gaps.max)
}

/** The first words of an unknown path: `images/generations`, `files`. Ids would make every name unique. */
function operationOf(path: string): string {
	const words = path.split('/').filter((segment) => segment !== 'v1')
	const end = words.findIndex((word) => !/^[a-z_]{1,32}$/.test(word))
	return words.slice(0, end < 0 ? 2 : Math.min(end, 2)).join('/') || 'request'
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value.slice(0, 256) : ''
}

/** The facts about an answer that are recorded as attributes. */
export type ReportedReading = Pick<
	Reading,
	'responseId' | 'finishReason' | 'serviceTier' | 'speed' | 'geo' | 'rawUsage' | 'usage'
>

export function addReading(attributes: Map<string, AttributeValue>, reading: ReportedReading): void {
	const set = (name: string, value: string) => {
		if (value) attributes.set(name, value)
	}
	set('gen_ai.response.id', reading.responseId)
	if (reading.finishReason) attributes.set('gen_ai.response.finish_reasons', [reading.finishReason])
	set('signalbox.service_tier', reading.serviceTier)
	set('signalbox.speed', reading.speed)
	set('signalbox.geo', reading.geo)
	if (reading.rawUsage) set('signalbox.usage', JSON.stringify(reading.rawUsage).slice(0, 8192))
	const oneHour = reading.usage?.lines.find(({ dimension }) => dimension === 'cache_write_1h')
	if (oneHour) attributes.set('signalbox.cache_write_1h_tokens', oneHour.quantity)
	if (reading.usage?.inconsistent) attributes.set('signalbox.inconsistent_usage', true)
}
