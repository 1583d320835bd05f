import type { IncomingMessage, ServerResponse } from 'node:http'
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
import type { Log } from '../log.ts'
import { type BoundOperation, type Input, toRoutes } from './operations.ts'
import type { Principal } from './principal.ts'
import type { RequestContext, Route } from './route.ts'
import { toProblem } from './to-problem.ts'
import { createValidatorCompiler, refuseBadText, toInvalidRequest } from './validation.ts'

const bodyLimitBytes = 1024 * 1024
const contexts = new WeakMap<IncomingMessage, RequestContext>()

/** Told of each call that its own handler refused for want of a right, for the audit log. */
type OnDenied = (denial: {
	principal: Principal
	routeId: string
	problem: Problem
	requestId: string
}) => void | Promise<void>

/** Serves the platform API: Fastify behind the door, one route an operation. */
export async function createApi(
	bound: readonly BoundOperation[],
	log: Log,
	onDenied: OnDenied = () => {},
): Promise<{ routes: Route[]; close(): Promise<void> }> {
	const app = fastify({
		logger: false,
		bodyLimit: bodyLimitBytes,
		onProtoPoisoning: 'error',
		onConstructorPoisoning: 'error',
		exposeHeadRoutes: true,
		routerOptions: { maxParamLength: 512 },
	})
	app.removeContentTypeParser('text/plain')
	app.setValidatorCompiler(createValidatorCompiler())
	app.setErrorHandler((error: FastifyError | Problem, request, reply) =>
		answerProblem(nameFailure(error), request, reply, log),
	)
	app.addHook('preValidation', async (request) => {
		refuseBadText(request.body)
		refuseBadText(request.query)
		refuseBadText(request.params)
	})
	for (const operation of bound) addOperation(app, operation, onDenied)
	await app.ready()
	const dispatch = (request: IncomingMessage, response: ServerResponse, context: RequestContext) => {
		contexts.set(request, context)
		app.routing(request, response)
	}
	return { routes: toRoutes(bound, dispatch), close: () => app.close() }
}

function addOperation(app: FastifyInstance, bound: BoundOperation, onDenied: OnDenied): void {
	const { operation } = bound
	app.route({
		method: operation.method,
		url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
		schema: schemaOf(operation),
		handler: async (request, reply) => {
			const output = await handleOrDeny(bound, onDenied, {
				params: request.params as never,
				query: request.query as never,
				body: (request.body ?? undefined) as never,
				context: contexts.get(request.raw) as RequestContext,
				request: request.raw,
				setHeader: (name, value) => void reply.header(name, value),
			})
			reply.code(operation.status).header('cache-control', 'no-store')
			return operation.response === null ? reply.send() : output
		},
	})
}

async function handleOrDeny(
	{ operation, handle }: BoundOperation,
	onDenied: OnDenied,
	input: Input<Operation>,
): Promise<unknown> {
	try {
		return await handle(input)
	} catch (error) {
		const { principal, requestId } = input.context
		if (principal && error instanceof Problem && error.code === 'forbidden') {
			await onDenied({ principal, routeId: operation.id, problem: error, requestId })
		}
		throw error
	}
}

function schemaOf(operation: Operation): Record<string, unknown> {
	return {
		...(operation.params && { params: operation.params }),
		querystring: operation.query ?? Type.Object({}, { additionalProperties: false }),
		...(operation.body && { body: bodySchema(operation.body) }),
		...(operation.response && { response: { [operation.status]: operation.response } }),
	}
}

/** A body that may be absent reaches the validator as null. */
function bodySchema(schema: TSchema): TSchema {
	return '~optional' in schema ? Type.Union([schema, Type.Null()]) : schema
}

const fastifyCodes: Record<string, ConstructorParameters<typeof Problem>> = {
	FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', `The limit here is ${bodyLimitBytes} bytes.`],
	FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send application/json.'],
	FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_json', 'The body is empty.'],
	FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_json'],
	FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'Content-Length does not match the body.'],
}

function nameFailure(error: FastifyError | Problem): Problem {
	if (error instanceof Problem) return error
	if (error.validation) return toInvalidRequest(error.validation as never, error.validationContext ?? '')
	const known = fastifyCodes[error.code]
	if (known) return new Problem(...known)
	if (error instanceof SyntaxError || error.statusCode === 400)
		return new Problem('invalid_json', undefined, { cause: error })
	return toProblem(error)
}

function answerProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply, log: Log): void {
	const requestId = contexts.get(request.raw)?.requestId ?? ''
	if (problem.status >= 500)
		log.error(
			{ err: problem.cause ?? problem, request_id: requestId, route: request.routeOptions.url },
			'operation failed',
		)
	reply
		.code(problem.status)
		.headers(problem.headers)
		.header('content-type', 'application/problem+json')
		.header('cache-control', 'no-store')
	void reply.serializer((body: unknown) => JSON.stringify(body)).send(toProblemDocument(problem, requestId))
}
