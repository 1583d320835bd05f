const rememberedMost = 100
/** Clients send the same few headers again and again. */
const remembered = new Map<string, boolean>()

/**
 * Whether a client names event streams among what it accepts (RFC 9110 §12.5.1: in any case, not with a weight of 0). A range such
 * as any type does not count: who sends one reads JSON.
 */
export function takesEvents(accept: string | undefined): boolean {
	if (accept === undefined) return false
	const known = remembered.get(accept)
	if (known !== undefined) return known
	const takes = accept.split(',').some((range) => {
		const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
		return type === 'text/event-stream' && !parameters.some((each) => /^q\s*=\s*0(\.0*)?$/.test(each))
	})
	if (remembered.size >= rememberedMost) remembered.clear()
	remembered.set(accept, takes)
	return takes
}
