import { Type } from 'typebox'
import { byRoleOrScope, type Scope, scopes } from './access.ts'
import { Id, IdParams, Name, Nullable, OneOf, Pagination, pageQuery, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

const ScopeText = Type.Unsafe<Scope>(Type.String({ enum: [...scopes] }))

const credentialFields = {
	id: Id,
	name: Type.String(),
	prefix: Type.String({ description: 'First characters of the secret' }),
	last4: Type.String(),
	status: OneOf(['active', 'revoked', 'expired']),
	created_at: Time,
	last_used_at: Nullable(Time),
	expires_at: Nullable(Time),
}

const keyFields = { ...credentialFields, scopes: Type.Array(ScopeText), agent_uuid: Nullable(Id) }

export const Key = Strict(keyFields, { title: 'Key' })
export const NewKey = Strict(
	{ ...keyFields, key: Type.String({ description: 'The secret, shown only here' }) },
	{ title: 'NewKey' },
)
export const IngestToken = Strict(credentialFields, { title: 'IngestToken' })
export const NewIngestToken = Strict(
	{ ...credentialFields, token: Type.String({ description: 'The secret, shown only here' }) },
	{ title: 'NewIngestToken' },
)

export const KeyInput = Strict({
	name: Name,
	scopes: Type.Optional(Type.Array(ScopeText, { minItems: 1, uniqueItems: true })),
	agent_uuid: Type.Optional(Id),
	expires_at: Type.Optional(Nullable(Time)),
})
const IngestTokenInput = Strict({ name: Name, expires_at: Type.Optional(Nullable(Time)) })

export const keyOperations = {
	list: operation({
		id: 'keys.list',
		method: 'GET',
		path: '/v1/keys',
		summary: 'List platform and agent keys',
		access: byRoleOrScope('viewer', 'keys:read'),
		query: Strict({ ...pageQuery, agent_uuid: Type.Optional(Id) }),
		status: 200,
		response: Strict({ keys: Type.Array(Key), pagination: Pagination }),
	}),
	create: operation({
		id: 'keys.create',
		method: 'POST',
		path: '/v1/keys',
		summary: 'Create a platform key, or with `agent_uuid` a key that acts as that agent',
		access: byRoleOrScope('admin', 'keys:write'),
		body: KeyInput,
		status: 201,
		response: NewKey,
	}),
	revoke: operation({
		id: 'keys.revoke',
		method: 'DELETE',
		path: '/v1/keys/{id}',
		summary: 'Revoke a key; running streams are cut',
		access: byRoleOrScope('admin', 'keys:write'),
		params: IdParams,
		status: 204,
		response: null,
	}),
}

export const ingestTokenOperations = {
	list: operation({
		id: 'ingest-tokens.list',
		method: 'GET',
		path: '/v1/ingest-tokens',
		summary: 'List ingest tokens',
		access: byRoleOrScope('viewer', 'keys:read'),
		query: Strict(pageQuery),
		status: 200,
		response: Strict({ ingest_tokens: Type.Array(IngestToken), pagination: Pagination }),
	}),
	create: operation({
		id: 'ingest-tokens.create',
		method: 'POST',
		path: '/v1/ingest-tokens',
		summary: 'Create a write-only token for telemetry',
		access: byRoleOrScope('admin', 'keys:write'),
		body: IngestTokenInput,
		status: 201,
		response: NewIngestToken,
	}),
	revoke: operation({
		id: 'ingest-tokens.revoke',
		method: 'DELETE',
		path: '/v1/ingest-tokens/{id}',
		summary: 'Revoke an ingest token',
		access: byRoleOrScope('admin', 'keys:write'),
		params: IdParams,
		status: 204,
		response: null,
	}),
}
