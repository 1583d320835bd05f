/** Whether a host name or address means this machine. */
export function isLoopbackHost(host: string): boolean {
	return host === 'localhost' || host === '::1' || host === '[::1]' || /^127\./.test(host)
}
