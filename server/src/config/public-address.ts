import { type Config, isLoopbackHost } from './config.ts'

/**
 * The address that people see, without a slash at its end: links lead there, tokens are good for it. Without
 * SIGNALBOX_PUBLIC_URL it is the main listener's; `port` is the one it got, where the system chose it.
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
