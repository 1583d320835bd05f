import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BodyOf, Operation, OutputOf, ParamsOf, QueryOf } from '@signalbox/contract'
import type { RequestContext, Route } from './route.ts'

/** The input of a platform API handler: parsed parameters and the caller. */
export interface Input<T extends Operation> {
	params: ParamsOf<T>
	query: QueryOf<T>
	body: BodyOf<T>
	context: RequestContext
	request: IncomingMessage
	/** For a cookie or another header; status and body belong to the operation. */
	setHeader(name: string, value: string | string[]): void
}

export type Handler<T extends Operation> = (input: Input<T>) => Promise<OutputOf<T>> | OutputOf<T>
export type Handlers<G extends Record<string, Operation>> = { [K in keyof G]: Handler<G[K]> }

export interface BoundOperation {
	operation: Operation
	handle(input: Input<Operation>): unknown
}

/** Binds each operation of a group to its handler. If one is missing, the code does not compile. */
export function bind<G extends Record<string, Operation>>(
	operations: G,
	handlers: Handlers<G>,
): BoundOperation[] {
	return Object.entries(operations).map(([name, operation]) => ({
		operation,
		handle: handlers[name as keyof G] as unknown as BoundOperation['handle'],
	}))
}

/** The route-table entries of bound operations; `dispatch` hands the request to the API framework. */
export function toRoutes(
	bound: readonly BoundOperation[],
	dispatch: (request: IncomingMessage, response: ServerResponse, context: RequestContext) => void,
): Route[] {
	return bound.map(({ operation }) => ({
		id: operation.id,
		method: operation.method,
		path: operation.path,
		access: operation.access,
		family: 'api',
		...(operation.always && { always: true }),
		handle: dispatch,
	}))
}
