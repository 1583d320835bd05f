export {
	type InstrumentableClient,
	type InstrumentableServer,
	instrument,
	instrumentClient,
} from './instrument.ts'
export type { Capture, Handle, Options, Stats } from './options.ts'
