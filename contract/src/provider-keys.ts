import { type Static, Type } from 'typebox'
import { byScope } from './access.ts'
import { Id, IdParams, Nullable, OneOf, optional, Pagination, pageQuery, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

export const providers = [
	'openai',
	'anthropic',
	'openai_compatible',
	'gemini',
	'azure_openai',
	'vertex',
	'bedrock',
] as const
export type Provider = (typeof providers)[number]

/** Whose prices can apply, in the names that OpenTelemetry has for them where it has one. */
export const vendors = [
	...providers,
	...(['openrouter', 'mistral_ai', 'groq', 'deepseek', 'x_ai', 'cerebras', 'cohere', 'fireworks'] as const),
	...(['together', 'perplexity', 'moonshot_ai', 'minimax', 'zai', 'voyageai'] as const),
] as const
export type Vendor = (typeof vendors)[number]

const PricedAs = Nullable(
	OneOf(vendors, {
		description:
			'Whose prices apply, and under which provider calls are recorded; null: by the host of `base_url`; openai_compatible: nobody’s',
	}),
)

/** PATCH accepts these as GET returned them. The name is part of addresses, and the provider decides what the secret is. */
const readOnly = {
	id: Id,
	name: Type.String({ description: "The connection's name in `/proxy/{name}/…`" }),
	provider: OneOf(providers),
	vendor: OneOf(vendors, {
		description:
			'The provider under which calls are recorded and whose prices apply: `priced_as`, else by the host of `base_url`, else `provider`',
	}),
	last4: Nullable(Type.String({ description: 'Null when a change of the origin erased the secret' })),
	status: OneOf(['active', 'secret_missing']),
	last_used_at: Nullable(Time),
	created_at: Time,
	updated_at: Time,
}

/** A connection: one account at a model provider, with its sealed key. */
export const ProviderKey = Strict(
	{
		id: readOnly.id,
		name: readOnly.name,
		provider: readOnly.provider,
		base_url: Type.String(),
		record_bodies: Type.Boolean({ description: 'Whether the content of calls is recorded, redacted' }),
		inject_usage: Type.Boolean({
			description:
				'Whether Signalbox requests usage in streams of chat completions whose client does not; the usage chunk is removed again',
		}),
		priced_as: PricedAs,
		vendor: readOnly.vendor,
		last4: readOnly.last4,
		status: readOnly.status,
		last_used_at: readOnly.last_used_at,
		created_at: readOnly.created_at,
		updated_at: readOnly.updated_at,
	},
	{ title: 'ProviderKey' },
)

const ProviderKeyTest = Strict(
	{
		ok: Type.Boolean(),
		status: Nullable(
			Type.Integer({ description: "The provider's HTTP status; null when it was not reached" }),
		),
		latency_ms: Type.Number(),
		detail: Type.String({ description: 'Explanation; never contains part of the key' }),
	},
	{ title: 'ProviderKeyTest' },
)

const ConnectionName = Type.String({ pattern: '^[a-z0-9]+([_-][a-z0-9]+)*$', maxLength: 40 })
const Secret = Type.String({ minLength: 1, maxLength: 4096 })
const BaseUrl = Type.String({
	minLength: 1,
	maxLength: 2048,
	description: "The provider's public API when absent; needed for openai_compatible and azure_openai",
})
const Name = Type.String({ minLength: 1, maxLength: 256 })

const AwsCredential = Strict(
	{
		access_key_id: Name,
		secret_access_key: Secret,
		region: Type.String({ pattern: '^[a-z]{2}(-[a-z]+)+-\\d$', description: 'Such as eu-central-1' }),
		session_token: Type.Optional(Secret),
	},
	{ title: 'AwsCredential' },
)

/** The format of a Google key file, which has more fields than are stored. */
const ServiceAccount = Type.Object(
	{
		client_email: Name,
		private_key: Type.String({ minLength: 1, maxLength: 16_384, description: 'PEM' }),
		private_key_id: Type.Optional(Name),
		token_uri: Type.Optional(BaseUrl),
	},
	{
		title: 'ServiceAccount',
		description: 'JSON of a service account key; unused fields may be left out',
	},
)

const PlaceName = Type.String({ pattern: '^[a-z0-9][a-z0-9:.-]*$', maxLength: 64 })
const VertexCredential = Strict(
	{ service_account: ServiceAccount, project: PlaceName, location: PlaceName },
	{ title: 'VertexCredential' },
)

const Credential = Type.Union([AwsCredential, VertexCredential], {
	description: 'In place of `key`: an access key for bedrock, a service account for vertex',
})
export type ProviderCredential = Static<typeof Credential>

export const providerKeyOperations = {
	list: operation({
		id: 'provider-keys.list',
		method: 'GET',
		path: '/v1/provider-keys',
		summary: 'List the connections to model providers',
		access: byScope('provider-keys:read'),
		query: Strict(pageQuery),
		status: 200,
		response: Strict(
			{ provider_keys: Type.Array(ProviderKey), pagination: Pagination },
			{ title: 'ProviderKeyList' },
		),
	}),
	create: operation({
		id: 'provider-keys.create',
		method: 'POST',
		path: '/v1/provider-keys',
		summary: 'Store a provider key or credential, sealed and bound to its provider and origin',
		access: byScope('provider-keys:write'),
		body: Strict({
			name: ConnectionName,
			provider: OneOf(providers),
			key: Type.Optional(Secret),
			credential: Type.Optional(Credential),
			base_url: Type.Optional(BaseUrl),
			record_bodies: Type.Optional(Type.Boolean({ default: true })),
			inject_usage: Type.Optional(Type.Boolean({ default: false })),
			priced_as: Type.Optional(PricedAs),
		}),
		status: 201,
		response: ProviderKey,
	}),
	get: operation({
		id: 'provider-keys.get',
		method: 'GET',
		path: '/v1/provider-keys/{id}',
		summary: 'Get a connection, without its key',
		access: byScope('provider-keys:read'),
		params: IdParams,
		status: 200,
		response: ProviderKey,
		observed: ['last_used_at'],
	}),
	test: operation({
		id: 'provider-keys.test',
		method: 'POST',
		path: '/v1/provider-keys/{id}/test',
		summary:
			'Test the stored key with a free request (the list of models where there is one); 200 also when the provider refuses',
		access: byScope('provider-keys:write'),
		params: IdParams,
		status: 200,
		response: ProviderKeyTest,
	}),
	update: operation({
		id: 'provider-keys.update',
		method: 'PATCH',
		path: '/v1/provider-keys/{id}',
		summary: 'Change a connection; a new origin erases the stored key unless a new one comes with it',
		access: byScope('provider-keys:write'),
		params: IdParams,
		body: Strict(
			{
				...optional(readOnly),
				key: Type.Optional(Secret),
				credential: Type.Optional(Credential),
				base_url: Type.Optional(BaseUrl),
				record_bodies: Type.Optional(Type.Boolean()),
				inject_usage: Type.Optional(Type.Boolean()),
				priced_as: Type.Optional(PricedAs),
			},
			{ minProperties: 1 },
		),
		status: 200,
		response: ProviderKey,
	}),
	delete: operation({
		id: 'provider-keys.delete',
		method: 'DELETE',
		path: '/v1/provider-keys/{id}',
		summary: 'Delete a connection',
		access: byScope('provider-keys:write'),
		params: IdParams,
		status: 204,
		response: null,
	}),
}
