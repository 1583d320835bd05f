import type { IncomingHttpHeaders } from 'node:http'
import { callCutText, type OnDisconnect, type Provider } from '@signalbox/contract'
import { type PriceCall, tokenBuckets } from '../../ledger/index.ts'
import { Problem } from '../../platform/errors.ts'
import { redactText } from '../../platform/log.ts'
import type { TraceContext } from '../../platform/trace/index.ts'
import { type AttributeValue, newSpanRow, type SpanRow } from '../../telemetry/index.ts'
import type { AttemptSummary } from './attempt-summary.ts'
import { secretsOf } from './authorize-call.ts'
import type { BodyHashes } from './body-hash.ts'
import type { CallBody } from './call-body.ts'
import { type CallTags, readTags, taggedFields } from './call-tags.ts'
import { outputLimitFields } from './output-limit.ts'
import { unsent } from './pay-call.ts'
import type { Reading } from './providers/provider.ts'
import { addReading } from './reading-attributes.ts'
import type { Step } from './reliability/call-plan.ts'
import { settleUsage } from './settle-usage.ts'
import type { StreamGaps } from './stream-gaps.ts'
import type { Target } from './target.ts'

/** What is known of a call before its body is read. */
export interface CallFacts {
	requestId: string
	trace: TraceContext
	startNs: bigint
	workspaceId: string
	credentialId: string
	agentId: string
	agentName: string
	connection: string
	/** '' when there is no such connection. */
	provider: Provider | ''
	method: string
	/** Without the query string. */
	path: string
	headers: IncomingHttpHeaders
	/** What becomes of the call when its client leaves. */
	onDisconnect: OnDisconnect
}

/** How a call ended, for the record. */
export type Ending =
	| { kind: 'complete' }
	| { kind: 'client_gone' }
	| { kind: 'refused'; problem: Problem }
	| { kind: 'failed'; problem: Problem; errorType: string }

/** The whole call has taken too long. */
export function tooLong(totalMs: number): Ending {
	const problem = new Problem('upstream_timeout', `The call took longer than ${totalMs} ms.`)
	return { kind: 'failed', problem, errorType: 'timeout' }
}

export interface Figures {
	endNs: bigint
	hashes: BodyHashes
	/** Whether a provider may have worked on it. */
	sent: boolean
	/** Whether what it began is recorded later, as a call of its own. */
	deferred: boolean
	/** Whether it went on after its client had left. */
	unattended: boolean
	/** With whom the call ended; null when it was never planned. */
	step: Step | null
	/** The name of its route, or ''. */
	route: string
	/** What was tried, in order; a call that is cut leaves its last attempt out. */
	attempts: readonly AttemptSummary[]
	/** What was read of the answer. */
	reading: Reading | null
	firstContentNs: bigint | null
	/** What the client was told. */
	httpStatus: number | null
	/** With which status the provider answered; null where it has not. */
	answered: number | null
	responseBytes: number
	providerRequestId: string
	/** What the provider said of its limits, name and value. */
	limitHeaders: readonly (readonly [string, string])[]
	/** Of a stream. */
	gaps: StreamGaps | null
	/** What `Server-Timing` told the client; '' when no answer began. */
	timing: string
	/** What hooks did, as JSON; '' where there was nothing. */
	hooks: string
}

/** The fields of a body that a call's record and its budgets need. */
const recordedFields: ReadonlySet<string> = new Set([
	...['model', 'stream'],
	...taggedFields,
	...outputLimitFields,
])

const noFields: ReadonlyMap<string, unknown> = new Map()

/** The row of a call as it stands when nothing more is known: announced before the call, completed by `outcomeRow`. */
export function draftRow(facts: CallFacts, target: Target | null, sent: CallBody | null = null): SpanRow {
	const body = sent?.fields(recordedFields) ?? noFields
	const model = textOf(target?.surface?.model ?? body.get('model'))
	const operation = target?.surface?.operation ?? operationOf(facts.path)
	const tags = readTags(facts.headers, body)
	return newSpanRow({
		workspaceId: facts.workspaceId,
		...facts.trace,
		name: model ? `${operation} ${model}` : operation,
		otlpKind: 3,
		source: 'model_proxy',
		kind: (target?.surface?.modelCall ?? model !== '') ? 'model_call' : 'other',
		status: 'interrupted',
		errorType: 'process_ended',
		startNs: facts.startNs,
		agentId: facts.agentId,
		agentName: facts.agentName,
		credentialId: facts.credentialId,
		sessionId: tags.sessionId,
		userId: tags.userId,
		client: tags.client,
		connection: facts.connection,
		provider: facts.provider,
		modelRequested: model,
		requestBytes: sent?.bytes.length ?? 0,
		attributes: draftAttributes(facts, target, operation, body, tags, sent?.fault ?? null),
	})
}

function draftAttributes(
	facts: CallFacts,
	target: Target | null,
	operation: string,
	body: ReadonlyMap<string, unknown>,
	{ tags }: CallTags,
	fault: string | null,
): Map<string, AttributeValue> {
	const attributes = new Map<string, AttributeValue>()
		.set('gen_ai.operation.name', operation)
		.set('gen_ai.provider.name', facts.provider)
		.set('http.request.method', facts.method)
		.set('url.path', facts.path)
		.set('signalbox.request_id', facts.requestId)
		.set('signalbox.stream', body.get('stream') === true)
	if (fault !== null) attributes.set('signalbox.request_unread', fault)
	if (target) attributes.set('signalbox.key_source', target.ownKey ? 'caller' : 'connection')
	for (const [name, value] of tags) attributes.set(`signalbox.tag.${name}`, value)
	return attributes
}

/** The row of a call that has ended, made from its draft. */
export function outcomeRow(draft: SpanRow, ending: Ending, figures: Figures, priceCall: PriceCall): SpanRow {
	const { reading, step } = figures
	const outcome = judgeOutcome(ending, figures)
	// What a provider does in the background is a call when it is over.
	const modelCall = draft.kind === 'model_call' && !figures.deferred
	// A provider that was left in the midst of its work bills what it read.
	const answeredError = (figures.answered ?? 0) >= 400
	const cut = ending.kind === 'client_gone' || ending.kind === 'refused'
	const leftAlone = cut && figures.sent && !answeredError
	const model = reading?.model || step?.model || draft.modelRequested
	const { lines, source } = settleUsage(reading, modelCall, draft.requestBytes, leftAlone)
	const provider = step?.target.provider ?? draft.provider
	const connection = step?.connection ?? draft.connection
	const { startNs, workspaceId } = draft
	const terms = termsOf(reading)
	const priced = priceCall({ provider, model, lines, terms, startNs, workspaceId, connection })
	// Nobody bills a refusal; what ran without figures is unpriced.
	const refused = ending.kind !== 'failed' && (figures.httpStatus ?? 0) >= 400
	const free = refused || unsent.has(outcome.errorType)
	const cost = source === 'missing' ? (free ? 0n : null) : priced.costNanoUsd
	return {
		...draft,
		...outcome,
		kind: modelCall ? draft.kind : 'other',
		provider,
		connection,
		statusMessage: withoutSecrets(outcome.statusMessage, step).slice(0, 500),
		durationNs: figures.endNs - draft.startNs,
		model,
		...tokenBuckets(lines),
		usageSource: source,
		costNanoUsd: modelCall ? cost : null,
		costSource: modelCall && cost !== null ? 'computed' : '',
		ledger: priced.ledger,
		timeToFirstTokenNs: figures.firstContentNs === null ? null : figures.firstContentNs - draft.startNs,
		httpStatus: figures.httpStatus,
		responseBytes: figures.responseBytes,
		attributes: outcomeAttributes(draft, figures),
	}
}

function termsOf(reading: Reading | null) {
	if (!reading) return {}
	const { serviceTier, speed, geo } = reading
	return { serviceTier, speed, geo }
}

/** What the client is told of an end: of a call that had been sent never that it was refused. */
export function problemToTell(ending: Ending & { problem: Problem }, sent: boolean): Problem {
	const { problem } = ending
	if (!sent) return problem
	if (ending.kind === 'refused')
		return new Problem('call_cut', callCutText(problem.message), { cause: problem })
	if (ending.kind === 'failed' && ending.errorType === 'timeout')
		return new Problem(problem.code, callCutText(problem.message), { cause: problem.cause })
	return problem
}

type Outcome = Pick<SpanRow, 'status' | 'errorType' | 'statusMessage'>

function judgeOutcome(ending: Ending, { reading, httpStatus, sent }: Figures): Outcome {
	// Many clients leave at the last event, before the connection's own end.
	if (ending.kind === 'client_gone' && !reading?.ended) {
		return { status: 'interrupted', errorType: 'client_disconnected', statusMessage: '' }
	}
	if (ending.kind === 'refused') {
		const { code, status, message } = ending.problem
		if (sent) return { status: 'cut', errorType: code, statusMessage: callCutText(message) }
		return {
			status: status === 401 || status === 403 ? 'denied' : 'error',
			errorType: code,
			statusMessage: message,
		}
	}
	if (ending.kind === 'failed') {
		const { errorType, problem } = ending
		if (sent && errorType === 'timeout')
			return { status: 'cut', errorType, statusMessage: callCutText(problem.message) }
		return { status: 'error', errorType, statusMessage: problem.message }
	}
	const failed = (httpStatus ?? 0) >= 400
	if (failed || reading?.errorType) {
		const errorType = reading?.errorType || `http_${httpStatus}`
		return { status: 'error', errorType, statusMessage: reading?.errorMessage ?? '' }
	}
	return { status: 'ok', errorType: '', statusMessage: '' }
}

function outcomeAttributes(draft: SpanRow, figures: Figures): SpanRow['attributes'] {
	const { providerRequestId, reading, route, step, attempts, unattended } = figures
	const attributes = new Map(draft.attributes)
	const set = (name: string, value: string) => {
		if (value) attributes.set(name, value)
	}
	set('signalbox.provider_request_id', providerRequestId)
	set('signalbox.route', route)
	set('signalbox.server_timing', figures.timing)
	set('signalbox.hooks', figures.hooks)
	for (const [name, value] of figures.limitHeaders) set(`http.response.header.${name}`, value)
	addGaps(attributes, figures.gaps)
	set('signalbox.body_hash.request', figures.hashes.request)
	set('signalbox.body_hash.request_sent', figures.hashes.requestSent)
	set('signalbox.body_hash.response', figures.hashes.response)
	set('signalbox.body_hash.response_passed', figures.hashes.responsePassed)
	if (unattended) attributes.set('signalbox.unattended', true)
	if (step?.usageInjected) attributes.set('signalbox.usage_injected', true)
	set('signalbox.model_sent', step?.model ?? '')
	if (route) set('signalbox.attempts', JSON.stringify(attempts))
	if (reading) addReading(attributes, reading)
	return attributes
}

/** How evenly a stream came, in ms. */
function addGaps(attributes: Map<string, AttributeValue>, gaps: StreamGaps | null): void {
	const median = gaps?.quantileMs(0.5) ?? null
	if (!gaps || median === null) return
	attributes
		.set('signalbox.stream.gap_ms.p50', median)
		.set('signalbox.stream.gap_ms.p95', gaps.quantileMs(0.95))
		.set('signalbox.stream.gap_ms.max', Number(gaps.maxMs.toFixed(3)))
}

/** The first words of a path that is not known: `images/generations`, `files`. Ids would make every name unique. */
function operationOf(path: string): string {
	const words = path.split('/').filter((segment) => segment !== 'v1')
	const end = words.findIndex((word) => !/^[a-z_]{1,32}$/.test(word))
	return words.slice(0, end < 0 ? 2 : Math.min(end, 2)).join('/') || 'request'
}

/** Providers like to quote a wrong key in their messages. */
function withoutSecrets(text: string, step: Step | null): string {
	const secrets = step ? secretsOf(step.target) : []
	return redactText(secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text))
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value.slice(0, 256) : ''
}
