import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
	isChange,
	type Operation,
	takesIdempotencyKey,
	takesIfMatch,
	takesIfNoneMatch,
	twinOf,
} from '@signalbox/contract'
import {
	type FastifyError,
	type FastifyInstance,
	type FastifyReply,
	type FastifyRequest,
	fastify,
} from 'fastify'
import { type TSchema, Type } from 'typebox'
import { type ChangeScope, inChangeScope } from '../change-scope.ts'
import type { DatabaseTransaction } from '../database/database.ts'
import { Problem, toProblemDocument } from '../errors.ts'
import type { Log } from '../log.ts'
import { beginTrace, inTrace, readTrace, traceparentOf } from '../trace/current-trace.ts'
import { createSerializerCompiler } from './compile-when-used.ts'
import type { Idempotency } from './idempotency.ts'
import { type BoundOperation, type Input, toRoutes } from './operations.ts'
import { basePathFor } from './paths.ts'
import type { Principal } from './principal.ts'
import { FaultLog, toProblem } from './refusals.ts'
import { principalIn, type RequestContext, type Route } from './route.ts'
import {
	createValidatorCompiler,
	refuseBadText,
	requireBody,
	takeStrictJson,
	toInvalidRequest,
} from './validation.ts'

const fastifyCodes: Record<string, ConstructorParameters<typeof Problem>> = {
	FST_ERR_BAD_URL: ['invalid_path', 'The path is not valid percent-encoded UTF-8.'],
	// None of our ids is that long, and a malformed id is treated like an unknown one.
	FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is no such object.'],
	FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send application/json.'],
	FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_json'],
	FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'Content-Length does not match the body.'],
}

/** Maps an error from Fastify or a handler to a problem of our catalogue. */
function nameFailure(error: FastifyError | Problem, bodyLimit: number): Problem {
	if (error instanceof Problem) return error
	if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
		return new Problem('body_too_large', `The limit here is ${bodyLimit} bytes.`)
	if (error.validation) return toInvalidRequest(error.validation as never, error.validationContext ?? '')
	const known = fastifyCodes[error.code]
	if (known) return new Problem(...known)
	if (error instanceof SyntaxError || error.statusCode === 400)
		return new Problem('invalid_json', undefined, { cause: error })
	return toProblem(error)
}

/** Responds with the problem (RFC 9457), and logs it if it is a fault. */
function answerProblem(
	problem: Problem,
	requestId: string,
	{ request, reply, faults }: { request: FastifyRequest; reply: FastifyReply; faults: FaultLog },
): void {
	faults.note(problem, { request_id: requestId, route: request.routeOptions.url }, 'operation failed')
	reply
		.code(problem.status)
		.headers(problem.headers)
		.header('content-type', 'application/problem+json')
		.header('cache-control', 'no-store')
	const document = toProblemDocument(problem, requestId, basePathFor(request.raw))
	void reply.serializer((body: unknown) => JSON.stringify(body)).send(document)
}

/** Serves the platform API: Fastify behind the ingress, one route per operation. */
export async function createApi(
	bound: readonly BoundOperation[],
	log: Log,
	onDenied: OnDenied = () => {},
	idempotency: Idempotency | null = null,
	onAnonymousDenied: OnAnonymousDenied = () => {},
	bodyLimit = 1024 * 1024,
): Promise<{ routes: Route[]; close(): Promise<void> }> {
	const contexts = new WeakMap<IncomingMessage, RequestContext>()
	const faults = new FaultLog(log)
	const api: ApiParts = {
		operations: bound.map(({ operation }) => operation),
		contextOf: (request) => contexts.get(request) as RequestContext,
		onDenied,
		onAnonymousDenied,
		idempotency,
	}
	const answerFailure = (error: FastifyError | Problem, request: FastifyRequest, reply: FastifyReply) =>
		answerProblem(nameFailure(error, bodyLimit), contexts.get(request.raw)?.requestId ?? '', {
			request,
			reply,
			faults,
		})
	const app = fastify({
		frameworkErrors: answerFailure,
		logger: false,
		bodyLimit,
		onProtoPoisoning: 'error',
		onConstructorPoisoning: 'error',
		exposeHeadRoutes: true,
		routerOptions: { maxParamLength: 512 },
	})
	takeStrictJson(app)
	app.setValidatorCompiler(createValidatorCompiler())
	app.setSerializerCompiler(createSerializerCompiler())
	app.setErrorHandler(answerFailure)
	app.addHook('preValidation', async (request) => {
		refuseBadText(request.body)
		refuseBadText(request.query)
		refuseBadText(request.params)
	})
	for (const operation of bound) addOperation(app, operation, api)
	await app.ready()
	const dispatch = traced((request, response, context) => {
		contexts.set(request, context)
		app.routing(request, response)
	})
	return { routes: toRoutes(bound, dispatch), close: () => app.close() }
}

function addOperation(app: FastifyInstance, operation: BoundOperation, api: ApiParts): void {
	const { method, path } = operation.operation
	const { body } = operation.operation
	app.route({
		method,
		url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
		schema: schemaOf(operation.operation),
		...(body && !('~optional' in body) && { preValidation: requireBody(body) }),
		handler: createHandler(operation, api),
	})
}

const nothing = Type.Object({}, { additionalProperties: false })
const noBody = { ...nothing, nullable: true }

function schemaOf(operation: Operation): Record<string, unknown> {
	return {
		...(operation.params && { params: operation.params }),
		querystring: operation.query ?? nothing,
		...(operation.method !== 'GET' && { body: operation.body ? bodySchema(operation.body) : noBody }),
		...(operation.response && { response: { [operation.status]: operation.response } }),
	}
}

/** Fastify passes an absent optional body to the validator as null. */
function bodySchema(schema: TSchema): TSchema {
	return '~optional' in schema ? { ...schema, nullable: true } : schema
}

/** Called for the audit log when a handler itself refuses a call because the caller lacks a right. */
type OnDenied = (denial: {
	principal: Principal
	routeId: string
	problem: Problem
	requestId: string
}) => void | Promise<void>

/** Called for the denial counts with each problem that a caller without a credential gets (public operations). */
type OnAnonymousDenied = (clientAddress: string, problem: Problem) => void

/** Parts that all operations of an API share. */
interface ApiParts {
	operations: readonly Operation[]
	contextOf(request: IncomingMessage): RequestContext
	onDenied: OnDenied
	onAnonymousDenied: OnAnonymousDenied
	/** Null: `Idempotency-Key` is ignored (unit tests). */
	idempotency: Idempotency | null
}

/** One request of an operation, from parsed input to the text of its response. */
interface Running {
	bound: BoundOperation
	api: ApiParts
	conditions: Conditions
	input: Input<Operation>
	request: FastifyRequest
	reply: FastifyReply
}

/** Which conditional headers an operation supports. */
interface Conditions {
	/** The source of its ETag: the response text, an object with a version, or nothing. */
	etag: 'text' | 'object' | null
	ifMatch: boolean
	/** Fields of the object that `If-Match` ignores. */
	observed: readonly string[]
}

/** ETags are supported by reads, and by changes whose response is the same document as a read of their path. */
function conditionsOf(operation: Operation, operations: readonly Operation[]): Conditions {
	const twin = twinOf(operation, operations)
	const isObject = operations.some(
		(other) => other.path === operation.path && takesIfMatch(other, operations),
	)
	const shown = takesIfNoneMatch(operation) || (isObject && twin?.response === operation.response)
	return {
		etag: shown ? (isObject ? 'object' : 'text') : null,
		ifMatch: takesIfMatch(operation, operations),
		observed: twin?.observed ?? [],
	}
}

/** A response as text, and its ETag. */
interface Answer {
	text: string
	etag: string | null
}

/** The Fastify handler of an operation: handles conditional headers as the contract says, and calls the area's handler. */
function createHandler(bound: BoundOperation, api: ApiParts) {
	const { operation } = bound
	const conditions = conditionsOf(operation, api.operations)
	return async (request: FastifyRequest, reply: FastifyReply) => {
		reply.code(operation.status).header('cache-control', 'no-store')
		const running = { bound, api, conditions, input: toInput(request, reply, api), request, reply }
		// The caller was authenticated before the body was read, which takes as long as the client likes.
		const refused = operation.method === 'GET' ? null : running.input.context.refusal()
		if (refused) await deny(operation, api, running.input.context, refused)
		const answer = isChange(operation) ? await change(running) : await perform(running)
		if (answer === null) return reply.send()
		if (answer.etag !== null) reply.header('etag', answer.etag)
		if (
			answer.etag !== null &&
			!isChange(operation) &&
			isKnown(request.headers['if-none-match'], answer.etag)
		)
			return reply.code(304).send()
		return reply.header('content-type', 'application/json; charset=utf-8').send(answer.text)
	}
}

function toInput(request: FastifyRequest, reply: FastifyReply, api: ApiParts): Input<Operation> {
	return {
		params: request.params as never,
		query: request.query as never,
		body: (request.body ?? undefined) as never,
		context: api.contextOf(request.raw),
		request: request.raw,
		setHeader: (name, value) => void reply.header(name, value),
	}
}

/** Runs the area's handler; null if the response has no body. */
async function perform({ bound, api, conditions, input, reply }: Running): Promise<Answer | null> {
	const output = await handleOrDeny(bound, api, input)
	if (bound.operation.response === null) return null
	const text = String(reply.serialize(output))
	return { text, etag: tagOf(conditions, output as object, text) }
}

function tagOf({ etag, observed }: Conditions, output: object, text: string): string | null {
	if (etag === null) return null
	return etag === 'object' ? objectEtagOf(output, observed, text) : etagOf(text)
}

async function change(running: Running): Promise<Answer | null> {
	const { bound, api, request, reply, input } = running
	const key = request.headers['idempotency-key']
	if (key === undefined || !api.idempotency || !takesIdempotencyKey(bound.operation))
		return inChangeScope(scopeOf(running), () => perform(running))
	const keyed = {
		principal: principalIn(input.context),
		operationId: bound.operation.id,
		key: readKey(key),
		content: JSON.stringify([input.params, input.query, input.body ?? null]),
		kept: (text: string) => withoutSecrets(bound.operation, text),
	}
	const { answer, replayed } = await api.idempotency.once(keyed, (onTransaction) =>
		inChangeScope(scopeOf(running, onTransaction), async () => (await perform(running))?.text ?? ''),
	)
	if (replayed) reply.header('idempotency-replayed', 'true')
	return { text: answer, etag: null }
}

/** Replaces a secret in a replayed response: anyone who lost the first response must create or rotate the secret again. */
const shownOnce = '(shown in the first answer only)'

function withoutSecrets({ secrets = [] }: Operation, text: string): string {
	if (secrets.length === 0 || text === '') return text
	const answer = JSON.parse(text) as Record<string, unknown>
	for (const name of secrets) if (typeof answer[name] === 'string') answer[name] = shownOnce
	return JSON.stringify(answer)
}

function scopeOf(
	{ bound: { operation }, conditions, request, input }: Running,
	onTransaction?: (tx: DatabaseTransaction) => Promise<void>,
): ChangeScope {
	const { id } = input.params as { id?: string }
	const workspaceId = input.context.principal?.workspaceId ?? ''
	const lock = operation.method === 'POST' && !id ? null : (id ?? operation.path)
	const expected = operation.method === 'POST' ? undefined : request.headers['if-match']
	if (expected !== undefined && !conditions.ifMatch) throw headerProblem('if-match', 'is not supported here')
	const requireUnchanged = (current: object) => {
		if (expected !== undefined && !isMatched(expected, current, conditions.observed))
			throw new Problem('precondition_failed')
	}
	const refusal = () => input.context.refusal()
	return { workspaceId, lock, requireUnchanged, refusal, ...(onTransaction && { onTransaction }) }
}

function readKey(header: string | string[]): string {
	const key = String(header)
	if (/^[!-~]{1,255}$/.test(key)) return key
	throw headerProblem('idempotency-key', 'must be 1 to 255 visible ASCII characters')
}

function headerProblem(name: string, detail: string): Problem {
	return new Problem('invalid_request', `headers/${name}: ${detail}.`, {
		errors: [{ pointer: `/${name}`, code: 'header', detail }],
	})
}

async function handleOrDeny(
	{ operation, handle }: BoundOperation,
	{ onDenied, onAnonymousDenied }: Pick<ApiParts, 'onDenied' | 'onAnonymousDenied'>,
	input: Input<Operation>,
): Promise<unknown> {
	try {
		return await handle(input)
	} catch (error) {
		if (!(error instanceof Problem)) throw error
		const { principal, clientAddress } = input.context
		if (!principal) onAnonymousDenied(clientAddress, error)
		if (error.code === 'forbidden' || error.code === 'address_not_allowed')
			await deny(operation, { onDenied }, input.context, error)
		throw error
	}
}

/** Throws the problem once the audit log has the denial. */
async function deny(
	{ id: routeId }: Operation,
	{ onDenied }: Pick<ApiParts, 'onDenied'>,
	{ principal, requestId }: RequestContext,
	problem: Problem,
): Promise<never> {
	if (principal && problem.status === 403) await onDenied({ principal, routeId, problem, requestId })
	throw problem
}

const etagHash = (text: string) => hash('sha256', text, 'base64url').slice(0, 16)

/** The strong ETag of a response, over its whole text. */
export function etagOf(text: string): string {
	return `"${etagHash(text)}"`
}

/**
 * The strong ETag of a mutable object: its version before a dot, a hash of its text after it. `If-Match` compares the version only.
 * Otherwise a busy agent could never be edited, because its `last_seen_at` changes all the time.
 */
export function objectEtagOf(document: object, observed: readonly string[], text: string): string {
	return `"${versionOf(document, observed)}.${etagHash(text)}"`
}

/** A hash over the fields of an object that people change: all except the `observed` ones. */
function versionOf(document: object, observed: readonly string[]): string {
	const managed = Object.entries(document).filter(
		([name, value]) => value !== undefined && !observed.includes(name),
	)
	return etagHash(JSON.stringify(managed.sort(([a], [b]) => (a < b ? -1 : 1))))
}

/**
 * Whether `If-None-Match` contains this ETag. The comparison is weak (RFC 9110 §13.1.2), as an intermediary may have weakened the
 * ETag.
 */
export function isKnown(header: string | undefined, etag: string): boolean {
	return header !== undefined && listed(header).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)
}

/** Whether `If-Match` contains the version of this object. */
export function isMatched(header: string, document: object, observed: readonly string[]): boolean {
	const version = `"${versionOf(document, observed)}.`
	return listed(header).some((tag) => tag === '*' || tag.startsWith(version))
}

/** Our ETags contain no comma, so a list can be split at commas. */
function listed(header: string): string[] {
	return header.split(',').map((tag) => tag.trim())
}

/** Wraps a route's handler so that it continues the caller's trace (W3C Trace Context) and returns our span in the response. */
function traced(handle: Route['handle']): Route['handle'] {
	return (request, response, context) => {
		const { traceparent, tracestate } = request.headers
		const trace = readTrace(traceparent, tracestate) ?? beginTrace()
		response.setHeader('traceparent', traceparentOf(trace))
		return inTrace(trace, () => handle(request, response, context))
	}
}
