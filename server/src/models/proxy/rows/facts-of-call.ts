import type { PriceCall } from '../../../ledger/ledger.ts'
import { betweenNs, nowNs } from '../../../platform/clock.ts'
import type { Problem } from '../../../platform/errors.ts'
import type { SpanRow } from '../../../telemetry/index.ts'
import type { Attempt } from '../attempt.ts'
import { type BodyHashes, type CallBody, hashOfBody } from '../call-body.ts'
import {
	type AttemptSummary,
	type CallFacts,
	type EndFacts,
	type Ending,
	type EndingFacts,
	errorTypeOf,
	outcomeRow,
	recordedFields,
	rowTargetOf,
} from '../call-record.ts'
import type { ClientAnswer } from '../client-answer.ts'
import type { Reading } from '../providers/provider.ts'
import type { CallPlan, Step } from '../reliability/call-plan.ts'
import { secretsOf, type Target } from '../target.ts'
import type { UpstreamFailure } from '../upstream-failure.ts'
import {
	type AnnouncedFacts,
	type EndedFacts,
	encodeFacts,
	headersForRecord,
	type StoredReading,
} from './call-facts.ts'

/**
 * The time that a call spends in Signalbox: from the end of its body until it is sent, and after the provider's answer has begun.
 */
export class OwnTime {
	/** The value of `Server-Timing` sent to the client; '' before. */
	timing = ''
	#readNs = 0n
	#sentNs = 0n

	read(atNs = nowNs()): void {
		this.#readNs = atNs
	}

	/** Only the first attempt counts: later ones wait for providers. */
	sent({ startNs }: Attempt): void {
		this.#sentNs ||= startNs
	}

	/** For `Server-Timing`: the time in Signalbox, and the provider's time until its answer began, in ms. */
	answered({ startNs, answeredNs }: Attempt): string {
		this.timing = serverTiming(
			betweenNs(this.#readNs, this.#sentNs) + betweenNs(answeredNs),
			betweenNs(startNs, answeredNs),
		)
		return this.timing
	}
}

export function serverTiming(ownNs: bigint, providerNs: bigint): string {
	const [ownMs, providerMs] = [Number(ownNs) / 1e6, Number(providerNs) / 1e6]
	return `signalbox;dur=${ownMs.toFixed(3)}, provider;dur=${providerMs.toFixed(3)}`
}

/** A larger body is written to the log when the call ends, so that it does not delay the request. */
export const announcedBodyBytes = 16 * 1024

/** The facts that are logged before the call is sent, with a body of at most this size. */
export function announcedFacts(
	call: CallFacts,
	plan: CallPlan | null,
	body: CallBody | null,
	maxBytes = announcedBodyBytes,
): Buffer {
	const { onDisconnect: _onDisconnect, ...rest } = call
	const logged = body?.json ? bodyToLog(plan?.first ?? null, body) : null
	const announces = logged !== null && logged.bytes.length <= maxBytes
	const headers = headersForRecord(call.headers)
	if (logged?.isDecoded) delete headers['content-encoding']
	const facts: AnnouncedFacts = {
		call: { ...rest, startNs: String(call.startNs), headers },
		target: rowTargetOf(plan?.first ?? null),
		requestBytes: body?.bytes.length ?? 0,
		fault: body?.fault ?? null,
		...(body && !(announces && !logged.isDecoded) && { fields: fieldsOf(body) }),
	}
	return encodeFacts(facts, announces ? logged.bytes : null, null)
}

function fieldsOf(body: CallBody): Record<string, unknown> {
	return Object.fromEntries(body.fields(recordedFields) ?? [])
}

/** The body as sent by the client, or as changed by hooks. */
function bodyToLog(step: Step | null, body: CallBody): { bytes: Buffer; isDecoded: boolean } {
	const { isChanged = false } = step ?? {}
	return isChanged && step
		? { bytes: step.body.plain, isDecoded: true }
		: { bytes: body.bytes, isDecoded: false }
}

/** A call that has ended. */
export interface EndOfCall {
	facts: EndFacts
	step: Step | null
	body: CallBody | null
	attempt: Attempt | null
	answer: ClientAnswer
	isHooked: boolean
}

interface Ended {
	startNs: bigint
	endNs: bigint
	ending: Ending
	step: Step | null
	attempt: Attempt | null
}

type OfAttempt =
	| 'firstContentNs'
	| 'httpStatus'
	| 'answered'
	| 'responseBytes'
	| 'providerRequestId'
	| 'limitHeaders'
	| 'gaps'
	| 'durationNs'
	| 'ending'
	| 'step'

export function endFactsOf(
	{ startNs, endNs, ending, step, attempt }: Ended,
	more: Omit<EndFacts, OfAttempt>,
): EndFacts {
	const firstNs = attempt?.firstContentNs ?? null
	return {
		...more,
		durationNs: Number(betweenNs(startNs, endNs)),
		ending: endingFacts(ending, step?.target ?? null),
		step: step && {
			connection: step.connection,
			provider: step.target.provider,
			vendor: step.target.vendor,
			model: step.model,
			usageInjected: step.usageInjected === true,
		},
		firstContentNs: firstNs === null ? null : Number(betweenNs(startNs, firstNs)),
		httpStatus: attempt?.httpStatus ?? ('problem' in ending ? ending.problem.status : null),
		answered: attempt?.httpStatus ?? null,
		responseBytes: attempt?.responseBytes ?? 0,
		providerRequestId: attempt?.providerRequestId ?? '',
		limitHeaders: attempt?.limitHeaders ?? [],
		gaps: attempt?.gaps?.summary() ?? null,
	}
}

function endingFacts(ending: Ending, target: Target | null): EndingFacts {
	if (!('problem' in ending)) return { kind: ending.kind }
	const { code, status, message } = ending.problem
	const problem = { code, status, message: withoutSecrets(message, target) }
	if (ending.kind === 'refused') return { kind: ending.kind, problem }
	return { kind: ending.kind, problem, errorType: ending.errorType }
}

/** Providers often quote a wrong key in their messages. */
function withoutSecrets(text: string, target: Target | null): string {
	if (text === '' || target === null) return text
	return secretsOf(target).reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text)
}

/** The reading of the answer on its way, in the form for the record. */
function reportedReading(attempt: Attempt | null): Reading | null {
	const reading = attempt?.reader?.reading
	if (!reading || !attempt) return null
	return { ...reading, errorMessage: withoutSecrets(reading.errorMessage, attempt.step.target) }
}

const noHashes: BodyHashes = { request: '', requestSent: '', response: '', responsePassed: '' }

/** The row of a call for those that need its usage and cost immediately. */
export function provisionalRow(draft: SpanRow, { facts, attempt }: EndOfCall, priceCall: PriceCall): SpanRow {
	const row = { ...draft, attributes: new Map(draft.attributes) }
	return outcomeRow(row, facts, reportedReading(attempt), noHashes, priceCall)
}

/** The facts that are logged at the end of a call. */
export async function endedFacts(call: EndOfCall): Promise<Buffer> {
	const { facts: end, step, body, attempt, answer, isHooked } = call
	const wasSent = attempt !== null
	const kept = attempt?.keptAnswer() ?? null
	const clean = kept && withoutCredential(kept, step)
	const logged = wasSent && body?.json ? bodyToLog(step, body) : null
	const surface = step?.target.surface
	const carries = wasSent && surface?.modelCall === true && body?.json !== null && body !== null
	const reading = reportedReading(attempt)
	// Bodies that pass unchanged are hashed later, from the log.
	const isUnchanged = !isHooked && step?.body === body && !answer.isRewritten
	const hashedLater =
		isUnchanged && kept !== null && clean === kept && (logged !== null || body?.bytes.length === 0)
	const facts: EndedFacts = {
		end,
		...(reading && { reading: toStore(reading) }),
		...(!hashedLater && { hashes: await hashesOf(call) }),
		passedBytes: answer.passedBytes,
		...(carries && { keepsTexts: step?.entry?.recordsBodies ?? true }),
		answer: {
			contentType: attempt?.contentType ?? '',
			encoding: String(attempt?.headers['content-encoding'] ?? ''),
			listed: attempt?.listed ?? false,
		},
	}
	const large = logged !== null && logged.bytes.length > announcedBodyBytes ? logged.bytes : null
	return encodeFacts(facts, large, clean)
}

function toStore({ objects: _objects, results: _results, ...reading }: Reading): StoredReading {
	return reading
}

/** Removes the credential from an answer that quotes it, before it is logged. */
function withoutCredential(answer: Buffer, step: Step | null): Buffer {
	for (const secret of step ? secretsOf(step.target) : [])
		if (answer.includes(secret)) return Buffer.from(withoutSecrets(answer.toString(), step?.target ?? null))
	return answer
}

async function hashesOf({ body, attempt, answer }: EndOfCall): Promise<BodyHashes> {
	const sent = attempt?.step.body.bytes ?? null
	const request = await hashOfBody(body?.bytes ?? null)
	const response = attempt?.kept.digest() ?? ''
	return {
		request,
		requestSent: sent === body?.bytes ? request : await hashOfBody(sent),
		response,
		responsePassed: answer.hashOfPassed(response),
	}
}

function attemptSummary(attempt: Attempt, failure: UpstreamFailure | null): AttemptSummary {
	const { step, httpStatus, providerRequestId, startNs, reader } = attempt
	const errorType = failure?.errorType || errorTypeOf(reader?.reading.errorType ?? '', httpStatus)
	return {
		connection: step.connection,
		...(step.model !== null && { model: step.model }),
		status: httpStatus,
		...(errorType && { error_type: errorType }),
		...(providerRequestId && { request_id: providerRequestId }),
		duration_ms: Math.round(Number(betweenNs(startNs)) / 1e6),
	}
}

/** What the record of a call by a route says about its targets, in order. */
export class AttemptList {
	readonly summaries: AttemptSummary[] = []

	add(attempt: Attempt, failure: UpstreamFailure | null): void {
		this.summaries.push(attemptSummary(attempt, failure))
	}

	/** Adds the targets that are not tried before this one because their circuits are open. */
	addPassedOver({ passedOver }: Step): void {
		for (const step of passedOver?.splice(0) ?? []) this.#addSkipped(step, 'circuit_open')
	}

	/** Adds a target that limits or budgets refuse. */
	readonly addRefused = (step: Step, { code }: Problem): void => {
		this.addPassedOver(step)
		this.#addSkipped(step, code)
	}

	#addSkipped({ connection, model }: Step, reason: string): void {
		const named = model === null ? { connection } : { connection, model }
		this.summaries.push({ ...named, status: null, error_type: reason, duration_ms: 0 })
	}
}
