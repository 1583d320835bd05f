import type { SpanRow } from '../span-row.ts'

const statuses: readonly SpanRow['status'][] = ['unset', 'ok', 'error']

/** The status of OTLP's number; one that is not known says nothing. */
export function statusOf(code: number): SpanRow['status'] {
	return statuses[code] ?? 'unset'
}
