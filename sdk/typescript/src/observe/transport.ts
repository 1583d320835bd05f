import type { Message } from './message.ts'

type Receive = (message: Message, extra?: Extra) => unknown
type Send = (message: Message, ...rest: unknown[]) => Promise<void>

/** What a transport of either SDK provides besides a message. */
export interface Extra {
	/** SDK v1. */
	requestInfo?: { headers?: Record<string, string | string[] | undefined> }
	/** SDK v2. */
	request?: { headers?: Headers }
}

/** What the MCP SDKs, v1 and v2, require of a transport. */
export interface Transport {
	sessionId?: string
	onmessage?: Receive
	onclose?: () => void
	send: Send
}

/** Observes what passes a transport. None of its functions may throw. */
export interface Watcher {
	receive(message: Message, extra: Extra | undefined, next: () => unknown): unknown
	send(message: Message, options: unknown, next: (message: Message) => Promise<void>): Promise<void>
	closed(): void
}

/** Lets a watcher observe a transport; the properties and functions that its owner uses are unchanged. */
export function watchTransport(transport: Transport, watcher: Watcher): void {
	const send = transport.send
	transport.send = function (this: Transport, message, ...rest) {
		return watcher.send(message, rest[0], (outgoing) => Reflect.apply(send, this, [outgoing, ...rest]))
	}
	wrapCallback(transport, 'onmessage', (next: Receive): Receive => {
		return function (this: unknown, message, extra) {
			return watcher.receive(message, extra, () => Reflect.apply(next, this, [message, extra]))
		}
	})
	wrapCallback(transport, 'onclose', (next: () => void) => {
		return function (this: unknown) {
			watcher.closed()
			return Reflect.apply(next, this, [])
		}
	})
}

/** Wraps the current value of the property and any value assigned later. */
function wrapCallback<T extends (...given: never[]) => unknown>(
	transport: Transport,
	name: 'onmessage' | 'onclose',
	wrap: (callback: T) => T,
): void {
	const wrapped = new WeakSet<object>()
	const wrapOnce = (callback: unknown): unknown => {
		if (typeof callback !== 'function' || wrapped.has(callback)) return callback
		const made = wrap(callback as T)
		wrapped.add(made)
		return made
	}
	const inherited = accessorOf(transport, name)
	let value = wrapOnce(transport[name])
	if (inherited) inherited.set?.call(transport, value)
	Object.defineProperty(transport, name, {
		configurable: true,
		enumerable: true,
		get: () => (inherited ? inherited.get?.call(transport) : value),
		set: (callback: unknown) => {
			value = wrapOnce(callback)
			if (inherited) inherited.set?.call(transport, value)
		},
	})
}

/** Transports that forward the property to an inner transport define it as an accessor. */
function accessorOf(transport: object, name: string): PropertyDescriptor | null {
	for (let at: object | null = transport; at; at = Object.getPrototypeOf(at)) {
		const found = Object.getOwnPropertyDescriptor(at, name)
		if (found) return found.set ? found : null
	}
	return null
}
