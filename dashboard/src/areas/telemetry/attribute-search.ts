/** In the grammar of the API: `key=text`, `key!=text`, `key~=text`, `key!~=text`, `key>=5`, `key`, `!key`. */
const condition = /^(![^=!<>~]+|[^=!<>~]+|[^=!<>~]+(=|!=|~=|!~=|<=|>=|<|>)[\s\S]*)$/

export function isAttributeCondition(text: string): boolean {
	return text.length <= 1024 && condition.test(text)
}

export function parseAttributes(value: unknown): { attribute?: string[] } {
	const attribute = parseConditions(value)
	return attribute.length > 0 ? { attribute } : {}
}

/** The same for fields, under the API's name of the parameter. */
export function parseFilter(value: unknown): { filter?: string[] } {
	const filter = parseConditions(value)
	return filter.length > 0 ? { filter } : {}
}

/** The well-formed conditions in a URL, at most ten. */
function parseConditions(value: unknown): string[] {
	const all = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
	return [...new Set(all.filter(isAttributeCondition))].slice(0, 10)
}
