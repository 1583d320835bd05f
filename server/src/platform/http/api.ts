import type { IncomingMessage } from 'node:http'
import type { Operation } from '@signalbox/contract'
import {
	type FastifyError,
	type FastifyInstance,
	type FastifyReply,
	type FastifyRequest,
	fastify,
} from 'fastify'
import { type TSchema, Type } from 'typebox'
import { Problem, toProblemDocument } from '../errors.ts'
import { JsonFault, JsonScan, requestLimits } from '../json/json-scan.ts'
import type { Log } from '../log.ts'
import { createSerializerCompiler } from './compile-when-used.ts'
import {
	type ApiParts,
	createHandler,
	type OnAnonymousDenied,
	type OnDenied,
	traced,
} from './handle-operation.ts'
import type { Idempotency } from './idempotency.ts'
import { type BoundOperation, toRoutes } from './operations.ts'
import { FaultLog, toProblem } from './refusals.ts'
import type { RequestContext, Route } from './route.ts'
import { createValidatorCompiler, refuseBadText, toInvalidRequest } from './validation.ts'

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
	void reply.serializer((body: unknown) => JSON.stringify(body)).send(toProblemDocument(problem, requestId))
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

/** Checks the nesting depth before parsing: a document that is too deep would overflow the stack of recursive code later. */
function takeStrictJson(app: FastifyInstance): void {
	const build = app.getDefaultJsonParser('error', 'error')
	app.removeContentTypeParser(['text/plain', 'application/json'])
	app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
		// Many clients send a content type without a body. That counts as no body, which is an error only if one is required.
		if (body.length === 0) return done(null)
		try {
			JsonScan.read(body, { limits: requestLimits })
		} catch (error) {
			return done(error instanceof JsonFault ? new Problem('invalid_json', error.message) : (error as Error))
		}
		return build(request, body.toString(), done)
	})
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

function requireBody(schema: TSchema) {
	const fields = (schema as { required?: string[] }).required ?? []
	const named = fields.length > 0 ? ` object with ${fields.map((name) => `\`${name}\``).join(', ')}` : ''
	return async (request: FastifyRequest) => {
		if (request.body === undefined)
			throw new Problem(
				'invalid_json',
				`The body is empty. Send a JSON${named || ' document'}, as /openapi.json describes it.`,
			)
	}
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
