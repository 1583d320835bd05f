export { createBackup } from './create-backup.ts'
export { summarise } from './restore-backup.ts'
