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

function hostText(host: string): string {
	if (host.includes(':')) return `[${host}]`
	return isLoopbackHost(host) ? host : '127.0.0.1'
}
