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

/**
 * Runs a planned operation: announced in the log before it goes upstream, its outcome flushed before the answer ends.
 * Rejects with `recorder_full` before anything happened.
 */
export async function runRecorded(
	gateway: Gateway,
	operation: Operation,
	plan: Plan,
	guard: RequestContext['guard'],
): Promise<void> {
	const begun = beginSpan(gateway, operation, plan)
	const judgedMs = gateway.clock.nowMs()
	let refusal = judge(gateway, operation, plan)
	watchPermissions(gateway, operation, plan, guard)
	const intent = await gateway.recorder.begin(begun)
	const hasWaited = gateway.clock.nowMs() - judgedMs > judgedForMs
	if (hasWaited) refusal ??= judge(gateway, operation, plan)
	const running = gateway.running.add(operation)
	const outcome = await settle(gateway, operation, plan, refusal)
	gateway.running.remove(running)
	noteInvalidArguments(operation, plan, outcome)
	const message =
		outcome instanceof RpcFailure
			? errorMessage(operation.request.id, outcome)
			: resultMessage(operation.request.id, outcome.json)
	const responseBytes = operation.reply.bytes + Buffer.byteLength(message)
	const ended = endSpan(begun, operation, outcome, responseBytes, capturesResults(gateway, operation, plan))
	const recorded = await finish(gateway, intent, ended)
	gateway.noteSeen(operation.caller.agentId)
	if (!recorded) return operation.reply.end(errorMessage(operation.request.id, notRecorded()), 503)
	if (outcome instanceof RpcFailure && outcome.errorType === 'cancelled') return operation.reply.end('', 200)
	operation.reply.end(message, outcome instanceof RpcFailure ? httpStatusOf(operation, outcome) : 200)
}

function capturesResults(gateway: Gateway, { caller }: Operation, { server, tool }: Plan): boolean {
	return tool !== '' && (server?.capturesResults ?? gateway.recordsToolContent(caller.workspaceId))
}

/** Changes are told at once, and ends by time within a second; so a judgement is good for that long. */
const judgedForMs = 1000

/** Whatever cannot be judged is a failure of its own, not of the request. */
function judge(gateway: Gateway, operation: Operation, plan: Plan): RpcFailure | null {
	try {
		return refusalNow(gateway, operation, plan)
	} catch (error) {
		return failureOf(error)
	}
}

async function settle(
	gateway: Gateway,
	operation: Operation,
	plan: Plan,
	refused: RpcFailure | null,
): Promise<PlanResult | RpcFailure> {
	try {
		const refusal = operation.cancellation.failure ?? refused
		if (refusal) return told(operation, refusal)
		const result = await plan.run()
		const { failure } = operation.cancellation
		return failure ? told(operation, failure) : result
	} catch (error) {
		const failure = operation.cancellation.failure ?? failureOf(error)
		if (failure.errorType === 'internal')
			gateway.log.error({ err: error, method: operation.request.method }, 'gateway: operation failed')
		return told(operation, failure)
	}
}

/** Only what never left was refused. */
function told({ sending }: Operation, failure: RpcFailure): RpcFailure {
	return sending.isSent ? afterSending(failure) : failure
}

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

async function finish(
	gateway: Gateway,
	intent: Awaited<ReturnType<Gateway['recorder']['begin']>>,
	row: SpanRow,
): Promise<boolean> {
	try {
		await gateway.recorder.finish(intent, row)
		return true
	} catch (error) {
		gateway.log.error({ err: error }, 'gateway: the outcome of a call could not be recorded')
		return false
	}
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
