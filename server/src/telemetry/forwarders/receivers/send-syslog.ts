import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Problem } from '../../../platform/errors.ts'
import type { ForwarderContext } from '../context.ts'
import { type Outcome, textOfError } from './delivery.ts'
import { framed } from './syslog-message.ts'

const timeoutMs = 10_000
/** A receiver that does not close its side has said all that syslog can say: that it did not break the connection. */
const closingMs = 2000

/**
 * Sends messages over a connection of their own, by `tcp:` or `tls:`. Syslog has no answers: the messages count as taken when the
 * receiver, after we have closed our side, closes its own or stays silent. Rejects only when `signal` ends.
 */
export async function sendSyslog(
	{ safeFetch }: Pick<ForwarderContext, 'safeFetch'>,
	url: string,
	messages: readonly string[],
	signal: AbortSignal,
): Promise<Outcome> {
	try {
		const socket = await openSocket(safeFetch, new URL(url))
		const abort = () => socket.destroy()
		signal.addEventListener('abort', abort, { once: true })
		try {
			await writeAll(socket, messages.map(framed).join(''))
		} finally {
			signal.removeEventListener('abort', abort)
			socket.destroy()
		}
		signal.throwIfAborted()
		return { kind: 'taken', refused: 0, reason: null }
	} catch (error) {
		signal.throwIfAborted()
		const text = error instanceof Problem ? error.message : textOfError(error, timeoutMs)
		return { kind: 'later', error: text, afterMs: null }
	}
}

async function openSocket(
	safeFetch: ForwarderContext['safeFetch'],
	{ protocol, hostname, port }: URL,
): Promise<Socket> {
	const host = hostname.replace(/^\[|\]$/g, '')
	const socket = await safeFetch.connect(host, Number(port))
	if (protocol !== 'tls:') return socket
	return new Promise((resolve, reject) => {
		const secured = connectTls({ socket, host, ...(isIP(host) === 0 && { servername: host }) })
		const failed = (error: Error) => {
			socket.destroy()
			reject(error)
		}
		secured.setTimeout(timeoutMs, () => secured.destroy(new Error('The TLS handshake was not answered.')))
		secured.once('error', failed).once('secureConnect', () => {
			secured.off('error', failed).setTimeout(0)
			resolve(secured)
		})
	})
}

function writeAll(socket: Socket, text: string): Promise<void> {
	return new Promise((resolve, reject) => {
		socket.once('error', reject)
		socket.once('close', (failed) => (failed ? undefined : resolve()))
		socket.setTimeout(timeoutMs, () => socket.destroy(new Error('It stopped reading.')))
		// Else a receiver's close would never be noticed.
		socket.resume()
		socket.end(text, () => {
			socket.setTimeout(0)
			setTimeout(resolve, closingMs).unref()
		})
	})
}
