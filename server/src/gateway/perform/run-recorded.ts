import {
	afterSending,
	errorMessage,
	failureOf,
	isObject,
	type JsonObject,
	namedFailure,
	RpcFailure,
	resultMessage,
	rpcCodes,
	toFailure,
} from '../../mcp-client/index.ts'
import { Problem } from '../../platform/errors.ts'
import type { RequestContext } from '../../platform/http/index.ts'
import type { SpanRow } from '../../telemetry/index.ts'
import type { Gateway } from '../gateway.ts'
import { noteFact, type Operation } from '../operation.ts'
import type { Plan, PlanResult } from './plan.ts'
import { beginSpan, endSpan } from './span.ts'

/** A longer answer of a failed call says more than which arguments were wrong. */
const readBytes = 64 * 1024
const mostNames = 20
const plainName = /^[\w$.-]{1,64}$/

/** What validators say: `-32602`, and the words of the MCP SDKs, zod, pydantic, ajv and jsonschema. */
const isValidation =
	/-32602|invalid[ _-]?(?:tool )?(?:input|arguments?|params|parameters)|validation error|must have required|is a required property|missing (?:a )?required/i
/** Where they name an argument: a path of zod, a line of pydantic, a pointer of ajv, or in quotation marks. Bounded, so that no text takes long. */
const mentions = [
	/"path":\s{0,8}\[\s{0,40}"([^"]{1,64})"/g,
	/^([A-Za-z_$][\w$-]{0,63})(?:\.[\w$.-]{1,200})?\n {2}\S/gm,
	/(?:^|[\s:])(?:data|arguments)?[./]([A-Za-z_$][\w$-]{0,63})(?:[./][\w$./-]{0,200})? (?:must|should|is)\b/g,
	/["'`]([A-Za-z_$][\w$-]{0,63})["'`]/g,
]

/** Notes which arguments the server of a tool refused, if that is why the call failed. */
export function noteInvalidArguments(
	operation: Operation,
	plan: Plan,
	outcome: PlanResult | RpcFailure,
): void {
	if (!plan.server || plan.tool === '' || !operation.sending.isSent) return
	const given = plan.arguments ?? operation.request.params.arguments
	const names = invalidArguments(plan, isObject(given) ? given : {}, outcome)
	if (names !== null) noteFact(operation, 'signalbox.invalid_arguments', names)
}

/**
 * From what a server says of a failed call: names only, and none but those of the tool's schema or of the call, separated by
 * commas. '' when it does not say which; null when the call failed for another reason.
 */
function invalidArguments(plan: Plan, given: JsonObject, outcome: PlanResult | RpcFailure): string | null {
	const text = outcome instanceof RpcFailure ? textOfFailure(outcome) : textOfResult(outcome)
	if (!isValidation.test(text)) return null
	const known = namesOf(plan, given)
	const named = mentions.flatMap((form) => [...text.matchAll(form)].map(([, name]) => name as string))
	return [...new Set(named)]
		.filter((name) => known.has(name))
		.slice(0, mostNames)
		.join(',')
}

function textOfFailure({ code, message }: RpcFailure): string {
	return code === rpcCodes.invalidParams ? `${code} ${message.slice(0, readBytes)}` : ''
}

function textOfResult({ isError, json }: PlanResult): string {
	if (!isError || json.length > readBytes) return ''
	const { content } = JSON.parse(json) as JsonObject
	if (!Array.isArray(content)) return ''
	return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('\n')
}

function namesOf({ server, tool }: Plan, given: JsonObject): Set<string> {
	const schema = server?.tools.find(({ name }) => name === tool)?.inputSchema
	const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
	return new Set([...Object.keys(properties), ...Object.keys(given)].filter((name) => plainName.test(name)))
}

/** Where an operation is between its plan and its answer. */
export type RunState =
	/** Judged; nothing of it is in the log. */
	| 'planned'
	/** In the log as interrupted; from here on it has an outcome. */
	| 'announced'
	/** Under way; it may be at its server. */
	| 'running'
	| 'answered'
	| 'failed'
	/** Its outcome is on disk. */
	| 'recorded'
	/** It ran, and its outcome could not be written. */
	| 'unrecorded'
	| 'ended'

type Step = 'announce' | 'run' | 'answer' | 'fail' | 'record' | 'lose' | 'end'

/** All ways that there are. What is refused fails without having run; what the log does not take stays planned. */
export const transitions: Readonly<Record<RunState, Readonly<Partial<Record<Step, RunState>>>>> = {
	planned: { announce: 'announced' },
	announced: { run: 'running', fail: 'failed' },
	running: { answer: 'answered', fail: 'failed' },
	answered: { record: 'recorded', lose: 'unrecorded' },
	failed: { record: 'recorded', lose: 'unrecorded' },
	recorded: { end: 'ended' },
	unrecorded: { end: 'ended' },
	ended: {},
}

/** The state after a step; throws for one that is none from there, since it would record or answer twice. */
export function after(state: RunState, step: Step): RunState {
	const next = transitions[state][step]
	if (next === undefined) throw new Error(`An operation that is ${state} cannot ${step}.`)
	return next
}

/**
 * Runs a planned operation: announced in the log before it goes upstream, its outcome flushed before the answer ends.
 * Rejects with `recorder_full` before anything happened.
 */
export function runRecorded(
	gateway: Gateway,
	operation: Operation,
	plan: Plan,
	guard: RequestContext['guard'],
): Promise<void> {
	return new OperationRun(gateway, operation, plan).run(guard)
}

/** One operation on its way through the states. */
class OperationRun {
	readonly #gateway: Gateway
	readonly #operation: Operation
	readonly #plan: Plan
	#state: RunState = 'planned'

	constructor(gateway: Gateway, operation: Operation, plan: Plan) {
		this.#gateway = gateway
		this.#operation = operation
		this.#plan = plan
	}

	async run(guard: RequestContext['guard']): Promise<void> {
		const { recorder, running, clock } = this.#gateway
		const begun = beginSpan(this.#gateway, this.#operation, this.#plan)
		const judgedMs = clock.nowMs()
		const refusal = this.#judge()
		watchPermissions(this.#gateway, this.#operation, this.#plan, guard)
		const intent = await recorder.begin(begun)
		this.#step('announce')
		const hasWaited = clock.nowMs() - judgedMs > judgedForMs
		const entry = running.add(this.#operation)
		const outcome = await this.#settle(refusal ?? (hasWaited ? this.#judge() : null))
		running.remove(entry)
		await this.#record(intent, begun, outcome)
	}

	#step(step: Step): void {
		this.#state = after(this.#state, step)
	}

	/** Whatever cannot be judged is a failure of its own, not of the request. */
	#judge(): RpcFailure | null {
		try {
			return refusalNow(this.#gateway, this.#operation, this.#plan)
		} catch (error) {
			return failureOf(error)
		}
	}

	async #settle(refused: RpcFailure | null): Promise<PlanResult | RpcFailure> {
		const { cancellation, request } = this.#operation
		const refusal = cancellation.failure ?? refused
		if (refusal) return this.#fail(refusal)
		this.#step('run')
		try {
			const result = await this.#plan.run()
			if (cancellation.failure) return this.#fail(cancellation.failure)
			this.#step('answer')
			return result
		} catch (error) {
			const failure = cancellation.failure ?? failureOf(error)
			if (failure.errorType === 'internal')
				this.#gateway.log.error({ err: error, method: request.method }, 'gateway: operation failed')
			return this.#fail(failure)
		}
	}

	/** Only what never left was refused. */
	#fail(failure: RpcFailure): RpcFailure {
		this.#step('fail')
		return this.#operation.sending.isSent ? afterSending(failure) : failure
	}

	/** The answer ends when its record is on disk. */
	async #record(intent: Intent, begun: SpanRow, outcome: PlanResult | RpcFailure): Promise<void> {
		const { request, reply, caller } = this.#operation
		noteInvalidArguments(this.#operation, this.#plan, outcome)
		const failure = outcome instanceof RpcFailure ? outcome : null
		const message = failure
			? errorMessage(request.id, failure)
			: resultMessage(request.id, (outcome as PlanResult).json)
		const responseBytes = reply.bytes + Buffer.byteLength(message)
		const isCaptured = capturesResults(this.#gateway, this.#operation, this.#plan)
		const isRecorded = await this.#finish(
			intent,
			endSpan(begun, this.#operation, outcome, responseBytes, isCaptured),
		)
		this.#gateway.noteSeen(caller.agentId)
		this.#step(isRecorded ? 'record' : 'lose')
		this.#step('end')
		if (!isRecorded) reply.end(errorMessage(request.id, notRecorded()), 503)
		else if (failure?.errorType === 'cancelled') reply.end('', 200)
		else reply.end(message, failure ? httpStatusOf(this.#operation, failure) : 200)
	}

	async #finish(intent: Intent, row: SpanRow): Promise<boolean> {
		try {
			await this.#gateway.recorder.finish(intent, row)
			return true
		} catch (error) {
			this.#gateway.log.error({ err: error }, 'gateway: the outcome of a call could not be recorded')
			return false
		}
	}
}

type Intent = Awaited<ReturnType<Gateway['recorder']['begin']>>

function capturesResults(gateway: Gateway, { caller }: Operation, { server, tool }: Plan): boolean {
	return tool !== '' && (server?.capturesResults ?? gateway.recordsToolContent(caller.workspaceId))
}

/** Changes are told at once, and ends by time within a second; so a judgement is good for that long. */
const judgedForMs = 1000

/** Judged when the body is here, which may have come slowly, and again whenever permissions change. */
export function refusalNow(gateway: Gateway, operation: Operation, plan: Plan): RpcFailure | null {
	if (gateway.isStale()) return toFailure(new Problem('stale_permissions'))
	const problem = gateway.stillValid(operation.caller.principal)
	if (!problem) return plan.refusal()
	return namedFailure(rpcCodes.accessDenied, problem.code, problem.message, { status: 'denied' })
}

/** A change of permissions cuts what would be refused by now. */
function watchPermissions(
	gateway: Gateway,
	operation: Operation,
	plan: Plan,
	guard: RequestContext['guard'],
): void {
	let failure: RpcFailure | null = null
	guard(
		() => {
			failure = refusalNow(gateway, operation, plan)
			return failure && new Problem('forbidden', failure.message)
		},
		() => {
			if (failure) operation.cancellation.cancel(failure)
		},
	)
}

function notRecorded(): RpcFailure {
	return namedFailure(
		rpcCodes.internal,
		'store_unavailable',
		'The operation ran, but its record could not be written.',
	)
}

/** In the modern era a method that does not exist is a missing page, and a client that cannot be asked a bad request. */
function httpStatusOf({ client }: Operation, { code, httpStatus }: RpcFailure): number {
	if (client.era === 'legacy' || httpStatus !== 200) return httpStatus
	return modernStatuses.get(code) ?? httpStatus
}

const modernStatuses: ReadonlyMap<number, number> = new Map([
	[rpcCodes.methodNotFound, 404],
	[rpcCodes.missingCapability, 400],
])
