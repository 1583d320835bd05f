import type { Static, TObject, TSchema } from 'typebox'
import type { Access } from './access.ts'
import type { ProblemCode } from './problems.ts'

/** One endpoint of the platform API as data: the server, the OpenAPI document and the clients are projections of it. */
export interface Operation {
	/** Unique, `area.verb`: `agents.create`. */
	id: string
	method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
	/** With `{name}` for parameters, as in OpenAPI. */
	path: string
	summary: string
	description?: string
	access: Access
	params?: TObject
	query?: TObject
	body?: TSchema
	/** The success status and its body; `null` is a response without a body. */
	status: number
	response: TSchema | null
	/** Failures of its own, beside those that every operation of its kind can answer (`problemStatusesOf`). */
	problems?: readonly ProblemCode[]
	/** On a GET: fields that move without anybody changing the object; `If-Match` does not look at them. */
	observed?: readonly string[]
	/** Fields of the answer that hold a secret which is shown once: an answer that is given again leaves them out. */
	secrets?: readonly string[]
	/** Answers under overload too, and no rate limit counts it. */
	always?: true
}

/** Keeps the literal types of an operation. */
export function operation<const T extends Operation>(definition: T): T {
	return definition
}

type StaticOr<T, Otherwise> = T extends TSchema ? Static<T> : Otherwise

export type ParamsOf<T extends Operation> = StaticOr<T['params'], Record<string, never>>
export type QueryOf<T extends Operation> = StaticOr<T['query'], Record<string, never>>
export type BodyOf<T extends Operation> = StaticOr<T['body'], undefined>
export type OutputOf<T extends Operation> = StaticOr<T['response'], undefined>
