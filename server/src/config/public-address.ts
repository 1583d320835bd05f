import type { Config } from './config.ts'
import { isLoopbackHost } from './parse.ts'

/**
 * The URL that people see, without a trailing slash: the base of links and the audience of tokens. Without SIGNALBOX_PUBLIC_URL it
 * is the main listener's; `port` is its actual port, which the system may have chosen.
 */
export function publicAddress(
	{ PUBLIC_URL, HOST, PORT }: Pick<Config, 'PUBLIC_URL' | 'HOST' | 'PORT'>,
	port = PORT,
): string {
	return PUBLIC_URL?.replace(/\/$/, '') ?? `http://${hostText(HOST)}:${port}`
}

/** The URL of the main listener on this machine, also if it listens on all addresses. */
export function localAddress({ HOST }: Pick<Config, 'HOST'>, port: number): string {
	const { hostname } = new URL(`http://${HOST.includes(':') ? `[${HOST}]` : HOST}`)
	const host = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }[hostname] ?? hostname
	return `http://${host}:${port}`
}

function hostText(host: string): string {
	if (host.includes(':')) return `[${host}]`
	return isLoopbackHost(host) ? host : '127.0.0.1'
}
