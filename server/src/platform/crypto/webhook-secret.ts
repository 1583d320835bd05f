import { createHmac, randomBytes } from 'node:crypto'
import type { SealContext } from './seal.ts'

const prefix = 'whsec_'

/** A new signing secret: 256 random bits. */
export function newSecret(): string {
	return prefix + randomBytes(32).toString('base64')
}

/** The context of a signing secret: it must never sign for another receiver. */
export function secretContext(row: { workspace_id: string; id: string; url: string }): SealContext {
	return {
		workspaceId: row.workspace_id,
		kind: 'webhook_secret',
		origin: new URL(row.url).origin,
		id: row.id,
	}
}

export interface Message {
	id: string
	/** Whole seconds since 1970. */
	timestampS: number
	body: string
}

/** The headers of Standard Webhooks 1.0. While a secret is being replaced, both the old and the new one sign. */
export function signedHeaders(message: Message, secrets: readonly string[]): Record<string, string> {
	return {
		'webhook-id': message.id,
		'webhook-timestamp': String(message.timestampS),
		'webhook-signature': secrets.map((secret) => `v1,${sign(message, secret)}`).join(' '),
	}
}

function sign({ id, timestampS, body }: Message, secret: string): string {
	const key = Buffer.from(secret.slice(prefix.length), 'base64')
	return createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')
}
