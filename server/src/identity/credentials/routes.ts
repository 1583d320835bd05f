import { defaultKeyScopes, ingestTokenOperations, keyOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn } from '../../platform/http/index.ts'
import { paginate } from '../../platform/paging.ts'
import type { IdentityContext } from '../context.ts'
import { createCredential } from './create-credential.ts'
import { presentCredential, presentKey } from './present-credential.ts'
import { type CredentialKindName, countCredentials, listCredentials } from './repository.ts'
import { endCredential } from './revoke-credential.ts'

const keyKinds: readonly CredentialKindName[] = ['platform', 'agent']
const tokenKinds: readonly CredentialKindName[] = ['ingest']

export function credentialRoutes(context: IdentityContext): BoundOperation[] {
	return [
		...bind(keyOperations, keyHandlers(context)),
		...bind(ingestTokenOperations, tokenHandlers(context)),
	]
}

type KeyHandlers = Parameters<typeof bind<typeof keyOperations>>[1]
type TokenHandlers = Parameters<typeof bind<typeof ingestTokenOperations>>[1]

function keyHandlers(context: IdentityContext): KeyHandlers {
	const { store, clock, mutate } = context
	return {
		list: async ({ query, context: request }) => {
			const { workspaceId } = principalIn(request)
			const filter = { kinds: keyKinds, agentId: query.agent_uuid ?? null }
			const total = await countCredentials(store.db, workspaceId, filter)
			const rows = await listCredentials(store.db, workspaceId, filter, query)
			return { keys: rows.map((row) => presentKey(row, clock.nowMs())), pagination: paginate(query, total) }
		},
		create: async ({ body, context: request }) => {
			const by = principalIn(request)
			const owner =
				body.agent_uuid === undefined
					? { kind: 'platform' as const, scopes: body.scopes ?? defaultKeyScopes }
					: { kind: 'agent' as const, agentId: body.agent_uuid, ...(body.scopes && { scopes: body.scopes }) }
			const wanted = {
				...owner,
				...commonOf(body),
				workspaceId: by.workspaceId,
				by,
				requestId: request.requestId,
			}
			const created = await mutate((tx) => createCredential(context, tx, wanted))
			return { ...created.fields, key: created.secret }
		},
		revoke: async ({ params, context: request }) => {
			const by = principalIn(request)
			const { workspaceId } = by
			await endCredential(context, {
				workspaceId,
				id: params.id,
				kinds: keyKinds,
				by,
				requestId: request.requestId,
			})
			return undefined
		},
	}
}

function tokenHandlers(context: IdentityContext): TokenHandlers {
	const { store, clock, mutate } = context
	return {
		list: async ({ query, context: request }) => {
			const { workspaceId } = principalIn(request)
			const filter = { kinds: tokenKinds, agentId: null }
			const total = await countCredentials(store.db, workspaceId, filter)
			const rows = await listCredentials(store.db, workspaceId, filter, query)
			const shown = rows.map((row) => presentCredential(row, clock.nowMs()))
			return { ingest_tokens: shown, pagination: paginate(query, total) }
		},
		create: async ({ body, context: request }) => {
			const by = principalIn(request)
			const kind = 'ingest' as const
			const wanted = {
				kind,
				...commonOf(body),
				workspaceId: by.workspaceId,
				by,
				requestId: request.requestId,
			}
			const { fields, secret } = await mutate((tx) => createCredential(context, tx, wanted))
			const { scopes: _none, agent_uuid: _nobody, ...shown } = fields
			return { ...shown, token: secret }
		},
		revoke: async ({ params, context: request }) => {
			const by = principalIn(request)
			const { workspaceId } = by
			await endCredential(context, {
				workspaceId,
				id: params.id,
				kinds: tokenKinds,
				by,
				requestId: request.requestId,
			})
			return undefined
		},
	}
}

function commonOf(body: { name: string; expires_at?: string | null }) {
	return { name: body.name, expiresAtMs: body.expires_at ? Date.parse(body.expires_at) : null }
}
