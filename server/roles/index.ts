/** Front door of roles: which model does what, and where that was chosen. */
export { assignRole, type FoundRole, findRole, type RoleStores, wantsTitles } from './roles.ts'
