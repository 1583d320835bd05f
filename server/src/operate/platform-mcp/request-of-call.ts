import { otherAgentName } from '@signalbox/contract'
import type { Field, PlatformTool } from './tool-of-operation.ts'

/** A request of the platform API, without its credential. */
export interface ApiRequest {
	method: string
	url: string
	/** JSON, or null without a body. */
	body: string | null
}

/** The arguments cannot become a request; the text is for the model. */
export class BadArguments extends Error {}

/** The request that a call of a tool stands for. Values are judged by the operation itself. */
export function requestOfCall(
	{ chosen: { operation }, fields: shown }: PlatformTool,
	values: Readonly<Record<string, unknown>>,
): ApiRequest {
	const fields = withOtherNames(shown)
	refuseUnknown(fields, values)
	const given = (place: Field['place']) =>
		fields.filter((field) => field.place === place && values[field.name] !== undefined)
	const url = operation.path.replaceAll(/\{(\w+)\}/g, (_, own: string) =>
		encodeURIComponent(pathValue(fields, values, own)),
	)
	const query = new URLSearchParams(
		given('query').flatMap(({ own, name }) =>
			textsOf(values[name]).map((text): [string, string] => [own, text]),
		),
	).toString()
	const body = Object.fromEntries(given('body').map(({ own, name }) => [own, values[name]]))
	return {
		method: operation.method,
		url: query ? `${url}?${query}` : url,
		body: operation.body ? JSON.stringify(body) : null,
	}
}

/** With the names that the operation takes beside those of its schema. */
function withOtherNames(fields: readonly Field[]): readonly Field[] {
	const others = Object.entries(otherAgentName).flatMap(([own, name]) => {
		const field = fields.find((one) => one.name === own && one.place !== 'path')
		return field && !fields.some((one) => one.name === name) ? [{ ...field, name, own: name }] : []
	})
	return [...fields, ...others]
}

function refuseUnknown(fields: readonly Field[], values: object): void {
	const unknown = Object.keys(values).filter((name) => !fields.some((field) => field.name === name))
	if (unknown.length > 0) throw new BadArguments(`There is no argument ${unknown.join(', ')}.`)
}

function pathValue(fields: readonly Field[], values: Readonly<Record<string, unknown>>, own: string): string {
	const name = fields.find((field) => field.place === 'path' && field.own === own)?.name ?? own
	const value = values[name]
	// Dots would be taken for another path.
	if (typeof value === 'string' && /^[^./]/.test(value)) return value
	throw new BadArguments(`The argument ${name} is needed, as text.`)
}

function textsOf(value: unknown): string[] {
	return (Array.isArray(value) ? value : [value]).map(String)
}
