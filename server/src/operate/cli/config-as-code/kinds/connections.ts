import { type Schemas, take } from '../../../client/index.ts'
import { readAll } from '../../find.ts'
import { referenceTo } from '../secrets.ts'
import { type Existing, type Kind, once } from './kind.ts'

export const connections: Kind<'connections'> = {
	section: 'connections',
	noun: 'connection',
	nameOf: ({ name }) => name,
	fieldsOf: ({ provider, base_url, key }) => ({ provider, base_url, key: key && 'stored' }),
	secretFields: ['key'],
	read: async ({ client }) => {
		const found = await readAll(async (query) => {
			const { provider_keys, pagination } = await take(client.GET('/v1/provider-keys', { params: { query } }))
			return { items: provider_keys, pagination }
		})
		return found.map(toExisting)
	},
	toEntry: ({ name, fields }) => ({
		name,
		provider: fields.provider as Schemas['ProviderKey']['provider'],
		base_url: String(fields.base_url),
		...(fields.key === 'stored' && { key: referenceTo(name, 'key') }),
	}),
	create: async (context, { name, provider, base_url, key = '' }) => {
		const secret = context.secrets.fill(key)
		const body = { name, provider, key: secret, ...(base_url !== undefined && { base_url }) }
		await context.client.POST('/v1/provider-keys', { body, headers: once(context) })
	},
	update: async ({ client, secrets }, { id }, { base_url, key }, changed) => {
		const body = {
			...(base_url !== undefined && { base_url }),
			...(key !== undefined && changed.size > 0 && { key: secrets.fill(key) }),
		}
		await client.PATCH('/v1/provider-keys/{id}', { params: { path: { id } }, body })
	},
	remove: async ({ client }, { id }) =>
		void (await client.DELETE('/v1/provider-keys/{id}', { params: { path: { id } } })),
	secretsFor: ({ key }) => (key === undefined ? [] : [key]),
	hasOtherSecret: ({ fields }, { key }, secrets) => {
		const value = key === undefined ? null : secrets.tryFill(key)
		return value !== null && fields.last4 !== null && value.slice(-4) !== fields.last4
	},
	refusal: ({ fields }, { provider }) =>
		fields.provider === provider ? null : 'is at another provider; delete it first',
}

function toExisting({ id, name, provider, base_url, status, last4 }: Schemas['ProviderKey']): Existing {
	const key = status === 'active' ? 'stored' : 'missing'
	return { id, name, fields: { provider, base_url, key, last4 } }
}
