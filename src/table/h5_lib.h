/* SPDX-License-Identifier: MIT */
#ifndef TT_TABLE_H5_LIB_H
#define TT_TABLE_H5_LIB_H

/* The HDF5 library, loaded when the first file needs it: three dozen others
 * come with it, which take longer to load than a small run takes. Include this
 * instead of <hdf5.h>; tt_h5_is_there() loads it. A function is in both lists
 * below. */

#include <hdf5.h>

/* clang-format off */
#define TT_H5_FUNCTIONS(X) \
    X(H5Aclose) X(H5Acreate2) X(H5Aexists) X(H5Aget_space) X(H5Aget_type) \
    X(H5Aopen) X(H5Aread) X(H5Awrite) X(H5Dclose) X(H5Dcreate2) \
    X(H5Dget_chunk_info_by_coord) X(H5Dget_create_plist) X(H5Dget_space) X(H5Dget_type) X(H5Dopen2) \
    X(H5Dread) X(H5Dset_extent) X(H5Dvlen_reclaim) X(H5Dwrite) \
    X(H5Dwrite_chunk) X(H5Eset_auto2) X(H5Ewalk2) \
    X(H5Fclose) X(H5Fcreate) X(H5Fflush) X(H5Fget_eoa) X(H5Fget_vfd_handle) \
    X(H5Fopen) X(H5Gclose) X(H5Gget_create_plist) X(H5Gget_info) X(H5Gopen2) \
    X(H5Lexists) X(H5Lget_name_by_idx) X(H5Pclose) X(H5Pcreate) \
    X(H5Pget_external_count) X(H5Pget_layout) X(H5Pget_link_creation_order) \
    X(H5Pset_chunk) X(H5Pset_chunk_cache) X(H5Pset_deflate) \
    X(H5Pset_elink_cb) X(H5Pset_fill_time) X(H5Pset_link_creation_order) \
    X(H5Pset_obj_track_times) X(H5Pset_shuffle) X(H5Sclose) X(H5Screate) X(H5Screate_simple) \
    X(H5Sget_simple_extent_ndims) X(H5Sget_simple_extent_npoints) \
    X(H5Sselect_hyperslab) X(H5Tclose) \
    X(H5Tconvert) X(H5Tcopy) X(H5Tenum_create) X(H5Tenum_insert) \
    X(H5Tget_class) X(H5Tget_native_type) X(H5Tget_size) X(H5Tget_super) \
    X(H5Tis_variable_str) X(H5Tset_cset) X(H5Tset_size) X(H5Tset_strpad) \
    X(H5Tvlen_create) \
    X(H5check_version) X(H5open)

#define TT_H5_IDS(X) \
    X(H5P_CLS_DATASET_ACCESS_ID_g) X(H5P_CLS_DATASET_CREATE_ID_g) \
    X(H5P_CLS_FILE_CREATE_ID_g) X(H5T_C_S1_g) X(H5T_IEEE_F32LE_g) \
    X(H5T_IEEE_F64LE_g) X(H5T_NATIVE_DOUBLE_g) X(H5T_NATIVE_UCHAR_g) X(H5T_STD_I8LE_g) \
    X(H5T_STD_I16LE_g) X(H5T_STD_I32LE_g) X(H5T_STD_I64LE_g) \
    X(H5T_STD_U8LE_g) X(H5T_STD_U16LE_g) X(H5T_STD_U32LE_g) \
    X(H5T_STD_U64LE_g)
/* clang-format on */

#define TT_H5_FUNCTION(f) __typeof__(f) *(f);
#define TT_H5_ID(i)       hid_t *(i);
struct tt_h5_lib {
    TT_H5_FUNCTIONS(TT_H5_FUNCTION)
    TT_H5_IDS(TT_H5_ID)
};
#undef TT_H5_FUNCTION
#undef TT_H5_ID

extern struct tt_h5_lib tt_h5; /* all NULL until it is loaded */

/* Not where they are listed. */
#ifndef TT_H5_LIST
/* clang-format off */
#define H5Aclose tt_h5.H5Aclose
#define H5Acreate2 tt_h5.H5Acreate2
#define H5Aexists tt_h5.H5Aexists
#define H5Aget_space tt_h5.H5Aget_space
#define H5Aget_type tt_h5.H5Aget_type
#define H5Aopen tt_h5.H5Aopen
#define H5Aread tt_h5.H5Aread
#define H5Awrite tt_h5.H5Awrite
#define H5Dclose tt_h5.H5Dclose
#define H5Dcreate2 tt_h5.H5Dcreate2
#define H5Dget_chunk_info_by_coord tt_h5.H5Dget_chunk_info_by_coord
#define H5Dget_create_plist tt_h5.H5Dget_create_plist
#define H5Dget_space tt_h5.H5Dget_space
#define H5Dget_type tt_h5.H5Dget_type
#define H5Dopen2 tt_h5.H5Dopen2
#define H5Dread tt_h5.H5Dread
#define H5Dset_extent tt_h5.H5Dset_extent
#define H5Dvlen_reclaim tt_h5.H5Dvlen_reclaim
#define H5Dwrite tt_h5.H5Dwrite
#define H5Dwrite_chunk tt_h5.H5Dwrite_chunk
#define H5Eset_auto2 tt_h5.H5Eset_auto2
#define H5Ewalk2 tt_h5.H5Ewalk2
#define H5Fclose tt_h5.H5Fclose
#define H5Fcreate tt_h5.H5Fcreate
#define H5Fflush tt_h5.H5Fflush
#define H5Fget_eoa tt_h5.H5Fget_eoa
#define H5Fget_vfd_handle tt_h5.H5Fget_vfd_handle
#define H5Fopen tt_h5.H5Fopen
#define H5Gclose tt_h5.H5Gclose
#define H5Gget_create_plist tt_h5.H5Gget_create_plist
#define H5Gget_info tt_h5.H5Gget_info
#define H5Gopen2 tt_h5.H5Gopen2
#define H5Lexists tt_h5.H5Lexists
#define H5Lget_name_by_idx tt_h5.H5Lget_name_by_idx
#define H5Pclose tt_h5.H5Pclose
#define H5Pcreate tt_h5.H5Pcreate
#define H5Pget_external_count tt_h5.H5Pget_external_count
#define H5Pget_layout tt_h5.H5Pget_layout
#define H5Pget_link_creation_order tt_h5.H5Pget_link_creation_order
#define H5Pset_chunk tt_h5.H5Pset_chunk
#define H5Pset_chunk_cache tt_h5.H5Pset_chunk_cache
#define H5Pset_deflate tt_h5.H5Pset_deflate
#define H5Pset_elink_cb tt_h5.H5Pset_elink_cb
#define H5Pset_fill_time tt_h5.H5Pset_fill_time
#define H5Pset_link_creation_order tt_h5.H5Pset_link_creation_order
#define H5Pset_obj_track_times tt_h5.H5Pset_obj_track_times
#define H5Pset_shuffle tt_h5.H5Pset_shuffle
#define H5Sclose tt_h5.H5Sclose
#define H5Screate tt_h5.H5Screate
#define H5Screate_simple tt_h5.H5Screate_simple
#define H5Sget_simple_extent_ndims tt_h5.H5Sget_simple_extent_ndims
#define H5Sget_simple_extent_npoints tt_h5.H5Sget_simple_extent_npoints
#define H5Sselect_hyperslab tt_h5.H5Sselect_hyperslab
#define H5Tclose tt_h5.H5Tclose
#define H5Tconvert tt_h5.H5Tconvert
#define H5Tcopy tt_h5.H5Tcopy
#define H5Tenum_create tt_h5.H5Tenum_create
#define H5Tenum_insert tt_h5.H5Tenum_insert
#define H5Tget_class tt_h5.H5Tget_class
#define H5Tget_native_type tt_h5.H5Tget_native_type
#define H5Tget_size tt_h5.H5Tget_size
#define H5Tget_super tt_h5.H5Tget_super
#define H5Tis_variable_str tt_h5.H5Tis_variable_str
#define H5Tset_cset tt_h5.H5Tset_cset
#define H5Tset_size tt_h5.H5Tset_size
#define H5Tset_strpad tt_h5.H5Tset_strpad
#define H5Tvlen_create tt_h5.H5Tvlen_create
#define H5check_version tt_h5.H5check_version
#define H5open tt_h5.H5open
#define H5P_CLS_DATASET_ACCESS_ID_g (*tt_h5.H5P_CLS_DATASET_ACCESS_ID_g)
#define H5P_CLS_DATASET_CREATE_ID_g (*tt_h5.H5P_CLS_DATASET_CREATE_ID_g)
#define H5P_CLS_FILE_CREATE_ID_g (*tt_h5.H5P_CLS_FILE_CREATE_ID_g)
#define H5T_C_S1_g (*tt_h5.H5T_C_S1_g)
#define H5T_IEEE_F32LE_g (*tt_h5.H5T_IEEE_F32LE_g)
#define H5T_IEEE_F64LE_g (*tt_h5.H5T_IEEE_F64LE_g)
#define H5T_NATIVE_DOUBLE_g (*tt_h5.H5T_NATIVE_DOUBLE_g)
#define H5T_NATIVE_UCHAR_g (*tt_h5.H5T_NATIVE_UCHAR_g)
#define H5T_STD_I8LE_g (*tt_h5.H5T_STD_I8LE_g)
#define H5T_STD_I16LE_g (*tt_h5.H5T_STD_I16LE_g)
#define H5T_STD_I32LE_g (*tt_h5.H5T_STD_I32LE_g)
#define H5T_STD_I64LE_g (*tt_h5.H5T_STD_I64LE_g)
#define H5T_STD_U8LE_g (*tt_h5.H5T_STD_U8LE_g)
#define H5T_STD_U16LE_g (*tt_h5.H5T_STD_U16LE_g)
#define H5T_STD_U32LE_g (*tt_h5.H5T_STD_U32LE_g)
#define H5T_STD_U64LE_g (*tt_h5.H5T_STD_U64LE_g)
/* clang-format on */
#endif

#endif
