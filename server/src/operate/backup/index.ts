export { createBackup } from './create-backup.ts'
export { refuseHalfRestored, restoreBackup } from './restore-backup.ts'
export { summarise, verifyBackup } from './verify-backup.ts'
