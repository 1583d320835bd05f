import { Type } from 'typebox'
import { byScope, type Scope, scopes } from './access.ts'
import {
	Id,
	IdParams,
	Name,
	Nullable,
	OneOf,
	optional,
	Pagination,
	pageQuery,
	Strict,
	Time,
} from './common.ts'
import { operation } from './operation.ts'

const ScopeText = Type.Unsafe<Scope>(Type.String({ enum: [...scopes] }))
const Scopes = Type.Array(ScopeText, { minItems: 1, uniqueItems: true })

const AllowedAddresses = Nullable(
	Type.Array(Type.String({ maxLength: 50, examples: ['192.0.2.7', '2001:db8::/32'] }), {
		minItems: 1,
		maxItems: 100,
		description: 'Addresses and networks that calls may come from; null: any',
	}),
)

/** What happens to a model call whose client disconnects. */
export const disconnectPolicies = ['abort', 'drain', 'detach'] as const
export type OnDisconnect = (typeof disconnectPolicies)[number]

const OnDisconnectField = OneOf(disconnectPolicies, {
	description:
		'When the client of a model call disconnects: `abort` cancels the call at the provider, `drain` reads on for up to 30 s for exact usage, `detach` lets it run to completion',
})

/** The other secret of a key that is being rotated. */
const Rotation = Strict(
	{
		state: OneOf(['pending', 'grace'], {
			description:
				'`pending`: the new secret has not been used yet, the current one still works. `grace`: the new one was used, the old one works until `old_expires_at`',
		}),
		prefix: Type.String({
			description: 'Prefix of the new secret while `pending`, of the old one in `grace`',
		}),
		last4: Type.String(),
		created_at: Time,
		old_expires_at: Nullable(Time),
	},
	{ title: 'Rotation' },
)

const readOnlyFields = {
	id: Id,
	prefix: Type.String({ description: 'First characters of the secret' }),
	last4: Type.String(),
	status: OneOf(['active', 'revoked', 'expired']),
	created_at: Time,
	last_used_at: Nullable(Time),
	rotation: Nullable(Rotation),
}
const credentialFields = {
	...readOnlyFields,
	name: Type.String(),
	expires_at: Nullable(Time),
	allowed_addresses: AllowedAddresses,
}

const keyFields = {
	...credentialFields,
	scopes: Type.Array(ScopeText),
	agent_uuid: Nullable(Id),
	on_disconnect: OnDisconnectField,
}

export const Key = Strict(keyFields, { title: 'Key' })
export const NewKey = Strict(
	{ ...keyFields, key: Type.String({ description: 'The secret, shown only here' }) },
	{ title: 'NewKey' },
)
export const KeyList = Strict({ keys: Type.Array(Key), pagination: Pagination }, { title: 'KeyList' })
export const IngestToken = Strict(credentialFields, { title: 'IngestToken' })
export const NewIngestToken = Strict(
	{ ...credentialFields, token: Type.String({ description: 'The secret, shown only here' }) },
	{ title: 'NewIngestToken' },
)

/** Fields that every kind of credential has when it is created. */
export const credentialInput = {
	name: Name,
	expires_at: Type.Optional(Nullable(Time)),
	allowed_addresses: Type.Optional(AllowedAddresses),
}
/** The same for keys that make calls. */
export const callingKeyInput = { ...credentialInput, on_disconnect: Type.Optional(OnDisconnectField) }
export const KeyInput = Strict({
	...callingKeyInput,
	scopes: Type.Optional(Scopes),
	agent_uuid: Type.Optional(Id),
})

const changeable = { ...optional(readOnlyFields), ...credentialInput, name: Type.Optional(Name) }

export const credentialListQuery = {
	...pageQuery,
	status: Type.Optional(OneOf(['active', 'revoked', 'expired'])),
	sort: OneOf(['name', 'created_at', 'last_used_at', 'expires_at'], { default: 'created_at' }),
}

const RotateInput = Type.Optional(
	Strict({
		grace_s: Type.Optional(
			Type.Integer({
				minimum: 0,
				maximum: 2_592_000,
				description: 'How long the current secret works after the first use of the new one; default: one day',
			}),
		),
	}),
)
const rotationDescription =
	'The id, name and scopes stay. The new secret works at once. The current one works until the grace time after the first use of the new one. Rotating again before that first use replaces the new secret.'
const unusedOnly = 'Possible only while the new secret has not been used; the current one keeps working.'

const reading = byScope('keys:read')
const writing = byScope('keys:write')

export const keyOperations = {
	list: operation({
		id: 'keys.list',
		method: 'GET',
		path: '/v1/keys',
		summary: 'List platform and agent keys',
		access: reading,
		query: Strict({ ...credentialListQuery, agent_uuid: Type.Optional(Id) }),
		status: 200,
		response: KeyList,
	}),
	create: operation({
		id: 'keys.create',
		secrets: ['key'],
		method: 'POST',
		path: '/v1/keys',
		summary: 'Create a platform key, or with `agent_uuid` a key that acts as that agent',
		access: writing,
		body: KeyInput,
		status: 201,
		response: NewKey,
	}),
	get: operation({
		id: 'keys.get',
		method: 'GET',
		path: '/v1/keys/{id}',
		summary: 'Get a key, without its secret',
		access: reading,
		params: IdParams,
		status: 200,
		response: Key,
		observed: ['last_used_at'],
	}),
	update: operation({
		id: 'keys.update',
		method: 'PATCH',
		path: '/v1/keys/{id}',
		summary: 'Change the name, scopes, expiry or allowed addresses of a key',
		description:
			'A key can change only keys whose scopes, expiry and addresses do not exceed its own, before and after the change, and not these fields of itself. Unchanged read-only fields are accepted.',
		access: writing,
		params: IdParams,
		body: Strict(
			{
				...changeable,
				scopes: Type.Optional(Scopes),
				agent_uuid: Type.Optional(Nullable(Id)),
				on_disconnect: Type.Optional(OnDisconnectField),
			},
			{ minProperties: 1 },
		),
		status: 200,
		response: Key,
	}),
	rotate: operation({
		id: 'keys.rotate',
		secrets: ['key'],
		method: 'POST',
		path: '/v1/keys/{id}/rotate',
		summary: 'Rotate the secret of a key; the new one is shown once',
		description: rotationDescription,
		access: writing,
		params: IdParams,
		body: RotateInput,
		status: 201,
		response: NewKey,
	}),
	cancelRotation: operation({
		id: 'keys.cancel-rotation',
		method: 'DELETE',
		path: '/v1/keys/{id}/rotation',
		summary: 'Cancel a rotation: the new secret stops working',
		description: unusedOnly,
		access: writing,
		params: IdParams,
		status: 204,
		response: null,
	}),
	revoke: operation({
		id: 'keys.revoke',
		method: 'DELETE',
		path: '/v1/keys/{id}',
		summary: 'Revoke a key with all its secrets; running streams are cut',
		access: writing,
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
		access: reading,
		query: Strict(credentialListQuery),
		status: 200,
		response: Strict(
			{ ingest_tokens: Type.Array(IngestToken), pagination: Pagination },
			{ title: 'IngestTokenList' },
		),
	}),
	create: operation({
		id: 'ingest-tokens.create',
		secrets: ['token'],
		method: 'POST',
		path: '/v1/ingest-tokens',
		summary: 'Create a write-only token for telemetry',
		access: writing,
		body: Strict(credentialInput),
		status: 201,
		response: NewIngestToken,
	}),
	get: operation({
		id: 'ingest-tokens.get',
		method: 'GET',
		path: '/v1/ingest-tokens/{id}',
		summary: 'Get an ingest token, without its secret',
		access: reading,
		params: IdParams,
		status: 200,
		response: IngestToken,
		observed: ['last_used_at'],
	}),
	update: operation({
		id: 'ingest-tokens.update',
		method: 'PATCH',
		path: '/v1/ingest-tokens/{id}',
		summary: 'Change the name, expiry or allowed addresses of an ingest token',
		description: 'Unchanged read-only fields are accepted.',
		access: writing,
		params: IdParams,
		body: Strict(changeable, { minProperties: 1 }),
		status: 200,
		response: IngestToken,
	}),
	rotate: operation({
		id: 'ingest-tokens.rotate',
		secrets: ['token'],
		method: 'POST',
		path: '/v1/ingest-tokens/{id}/rotate',
		summary: 'Rotate the secret of an ingest token; the new one is shown once',
		description: rotationDescription,
		access: writing,
		params: IdParams,
		body: RotateInput,
		status: 201,
		response: NewIngestToken,
	}),
	cancelRotation: operation({
		id: 'ingest-tokens.cancel-rotation',
		method: 'DELETE',
		path: '/v1/ingest-tokens/{id}/rotation',
		summary: 'Cancel a rotation: the new secret stops working',
		description: unusedOnly,
		access: writing,
		params: IdParams,
		status: 204,
		response: null,
	}),
	revoke: operation({
		id: 'ingest-tokens.revoke',
		method: 'DELETE',
		path: '/v1/ingest-tokens/{id}',
		summary: 'Revoke an ingest token with all its secrets',
		access: writing,
		params: IdParams,
		status: 204,
		response: null,
	}),
}
