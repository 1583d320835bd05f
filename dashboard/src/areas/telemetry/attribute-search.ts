/** As the API judges them: `key=text`, `key!=text`, `key~=text`, `key>=5`, `key`, `!key`. */
const condition = /^(![^=!<>~]+|[^=!<>~]+|[^=!<>~]+(=|!=|~=|<=|>=|<|>)[\s\S]*)$/

export function isAttributeCondition(text: string): boolean {
	return text.length <= 1024 && condition.test(text)
}

/** The well-formed conditions of a URL, at most ten. */
export function parseAttributes(value: unknown): { attribute?: string[] } {
	const all = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
	const attribute = [...new Set(all.filter(isAttributeCondition))].slice(0, 10)
	return attribute.length > 0 ? { attribute } : {}
}
