import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Problem, toProblemDocument } from '../errors.ts'
import type { Log } from '../log.ts'
import { toProblem } from './to-problem.ts'
import { toInvalidRequest } from './validation.ts'

const fastifyCodes: Record<string, ConstructorParameters<typeof Problem>> = {
	FST_ERR_BAD_URL: ['invalid_path', 'The path is not valid percent-encoded UTF-8.'],
	// No id of ours is that long, and a malformed id answers like one that does not exist.
	FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is no such object.'],
	FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send application/json.'],
	FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_json', 'The body is empty.'],
	FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_json'],
	FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'Content-Length does not match the body.'],
}

/** Gives what Fastify or a handler threw its name in our catalogue. */
export function nameFailure(error: FastifyError | Problem, bodyLimit: number): Problem {
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

/** Answers with the problem (RFC 9457); what is our own fault is logged with its cause. */
export function answerProblem(
	problem: Problem,
	requestId: string,
	{ request, reply, log }: { request: FastifyRequest; reply: FastifyReply; log: Log },
): void {
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
