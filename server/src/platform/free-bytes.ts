/**
 * Gives the memory of bytes back at once; they have length 0 afterwards. V8 would keep it until it collects, and collects the
 * whole heap more often the more such memory there is: under a flood of telemetry that took a third of the processor time.
 * For bytes that nobody uses any more, with memory of their own (`allocUnsafeSlow`, or handed over by a thread); of others nothing
 * is freed.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array<ArrayBuffer>): void {
	if (buffer.byteLength === byteLength) buffer.transfer(0)
}
