const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** Whether a value is a log level of the protocol (the names of RFC 5424). */
export function isLogLevel(level: unknown): level is string {
	return typeof level === 'string' && levels.includes(level)
}

/** Higher is more severe; -1 for an unknown level. */
export function severityOf(level: unknown): number {
	return typeof level === 'string' ? levels.indexOf(level) : -1
}
