import { settings } from './settings.ts'

interface KnownSetting {
	parse: { schema?: object }
	fallback: unknown
	meaning: string
}

/** JSON Schema of `signalbox.yaml`, for editors. The program itself checks more than a schema can say. */
export function configFileSchema(): object {
	const properties = Object.entries(settings as Record<string, KnownSetting>).flatMap(([name, setting]) => {
		const key = name.toLowerCase()
		const file = { type: 'string', description: `File that holds the value of ${key}` }
		return [
			[key, propertyOf(setting)],
			[`${key}_file`, file],
		] as const
	})
	return {
		$schema: 'https://json-schema.org/draft/2020-12/schema',
		title: 'signalbox.yaml',
		type: 'object',
		additionalProperties: false,
		properties: {
			...Object.fromEntries(properties),
			oidc: {
				description: 'Where people sign in, by name',
				type: 'object',
				additionalProperties: {
					type: 'object',
					additionalProperties: { type: ['string', 'array', 'object'] },
				},
			},
		},
	}
}

function propertyOf({ parse, fallback, meaning }: KnownSetting): object {
	const shape = parse.schema ?? { type: ['string', 'array', 'object'], items: { type: 'string' } }
	const isShown = typeof fallback === 'string' || typeof fallback === 'number'
	return { description: meaning, ...shape, ...(isShown && { default: fallback }) }
}
