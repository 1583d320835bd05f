/** Whether a write failed because a unique value exists already; the text names the constraint or columns. */
export function duplicateOf(error: unknown): string | null {
	const { code, errcode, constraint, message } = error as {
		code?: string
		errcode?: number
		constraint?: string
		message?: string
	}
	if (code === '23505') return constraint ?? ''
	if (errcode === 1555 || errcode === 2067) return message ?? ''
	return null
}
