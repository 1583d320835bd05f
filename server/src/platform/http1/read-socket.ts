import type { Socket } from 'node:net'

/**
 * Calls `take` with the data from a socket, like a listener of `data` events; returns a function that stops it. Unless bytes are
 * buffered, they bypass the stream, whose own path schedules another read after each piece.
 */
export function readSocket(socket: Socket, take: (piece: Buffer) => void): () => void {
	const { push } = socket
	socket.push = (piece: Buffer | null, encoding?: BufferEncoding): boolean => {
		if (piece === null || socket.readableFlowing !== true || socket.readableLength > 0)
			return push.call(socket, piece, encoding)
		take(piece)
		return true
	}
	socket.on('data', take)
	return () => {
		socket.push = push
		socket.off('data', take)
	}
}
