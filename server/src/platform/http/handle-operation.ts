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
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ChangeScope, inChangeScope } from '../change-scope.ts'
import type { DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../errors.ts'
import { beginTrace, inTrace, readTrace, traceparentOf } from '../trace/current-trace.ts'
import type { Idempotency } from './idempotency.ts'
import type { BoundOperation, Input } from './operations.ts'
import type { Principal } from './principal.ts'
import { principalIn, type RequestContext, type Route } from './route.ts'

/** Called for the audit log when a handler itself refuses a call because the caller lacks a right. */
export type OnDenied = (denial: {
	principal: Principal
	routeId: string
	problem: Problem
	requestId: string
}) => void | Promise<void>

/** Called for the denial counts with each problem that a caller without a credential gets (public operations). */
export type OnAnonymousDenied = (clientAddress: string, problem: Problem) => void

/** Parts that all operations of an API share. */
export interface ApiParts {
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
export function createHandler(bound: BoundOperation, api: ApiParts) {
	const { operation } = bound
	const conditions = conditionsOf(operation, api.operations)
	return async (request: FastifyRequest, reply: FastifyReply) => {
		reply.code(operation.status).header('cache-control', 'no-store')
		const running = { bound, api, conditions, input: toInput(request, reply, api), request, reply }
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
	const isNew = operation.method === 'POST' && id === undefined
	const lock = isNew ? null : `${input.context.principal?.workspaceId ?? ''}/${id ?? operation.path}`
	const expected = operation.method === 'POST' ? undefined : request.headers['if-match']
	if (expected !== undefined && !conditions.ifMatch) throw headerProblem('if-match', 'is not supported here')
	const requireUnchanged = (current: object) => {
		if (expected !== undefined && !isMatched(expected, current, conditions.observed))
			throw new Problem('precondition_failed')
	}
	return { lock, requireUnchanged, ...(onTransaction && { onTransaction }) }
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
		const { principal, requestId, clientAddress } = input.context
		if (!principal && error instanceof Problem) onAnonymousDenied(clientAddress, error)
		if (principal && error instanceof Problem && error.code === 'forbidden')
			await onDenied({ principal, routeId: operation.id, problem: error, requestId })
		throw error
	}
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
export function traced(handle: Route['handle']): Route['handle'] {
	return (request, response, context) => {
		const { traceparent, tracestate } = request.headers
		const trace = readTrace(traceparent, tracestate) ?? beginTrace()
		response.setHeader('traceparent', traceparentOf(trace))
		return inTrace(trace, () => handle(request, response, context))
	}
}
