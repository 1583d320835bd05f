/** One line of the doctor: what was checked, the result, and the remedy if it is not good. */
export interface Finding {
	check: string
	status: 'ok' | 'warn' | 'fail'
	detail: string
	fix?: string
}

export function ok(check: string, detail: string): Finding {
	return { check, status: 'ok', detail }
}

export function warn(check: string, detail: string, fix: string): Finding {
	return { check, status: 'warn', detail, fix }
}

export function fail(check: string, detail: string, fix: string): Finding {
	return { check, status: 'fail', detail, fix }
}

/** The message of an error, followed by those of its causes. */
export function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error)
	return error.cause instanceof Error ? `${error.message} (${reasonOf(error.cause)})` : error.message
}
