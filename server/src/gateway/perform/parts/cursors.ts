import { RpcFailure, rpcCodes } from '../../../mcp-client/index.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import type { Operation } from '../../operation.ts'

/** How far a client has read a list that spans servers: the server's slug, and a place in that server's own order. */
export interface Position {
	slug: string
	at: number
}

/** Cursors of lists: whoever got one can read on with it, at the same endpoint and in the same list; nobody else, and no other text. */
export class Cursors {
	readonly #sealer: Pick<Sealer, 'mac'>

	constructor(sealer: Pick<Sealer, 'mac'>) {
		this.#sealer = sealer
	}

	write(operation: Operation, { slug, at }: Position): string {
		const text = Buffer.from(JSON.stringify([slug, at])).toString('base64url')
		return `${text}.${this.#signature(operation, text)}`
	}

	/** Null at the beginning of a list. Throws -32602 for what is no cursor of this list. */
	read(operation: Operation): Position | null {
		const cursor = operation.request.params.cursor ?? null
		if (cursor === null) return null
		const [text = '', signature] = typeof cursor === 'string' ? cursor.split('.') : []
		if (signature === undefined || signature !== this.#signature(operation, text))
			throw new RpcFailure(rpcCodes.invalidParams, 'This cursor was not given for this list.')
		const [slug, at] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [string, number]
		return { slug, at }
	}

	#signature({ caller, request }: Operation, text: string): string {
		const facts = [caller.agentId, caller.serverId, request.method, text]
		return this.#sealer.mac('mcp-cursor', JSON.stringify(facts)).slice(0, 32)
	}
}
