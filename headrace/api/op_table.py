"""Which module declares which op types. Made by tools/make_op_index.py, which is run after one is added or moved."""

TYPES: dict[str, str] = {
    "ops.array.constant": "Const HostConst Placeholder PlaceholderV2 PlaceholderWithDefault",
    "ops.array.dynamic": "DynamicPartition DynamicStitch ParallelDynamicStitch",
    "ops.array.fake_quant": (
        "FakeQuantWithMinMaxArgs FakeQuantWithMinMaxArgsGradient FakeQuantWithMinMaxVars "
        "FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannel FakeQuantWithMinMaxVarsPerChannelGradient "
        "QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3"
    ),
    "ops.array.fill": "Empty Fill OnesLike ZerosLike",
    "ops.array.gather": "Gather GatherNd GatherV2",
    "ops.array.gradient_identity": "DebugGradientIdentity DebugGradientRefIdentity",
    "ops.array.identity": (
        "DeepCopy EnsureShape GuaranteeConst Identity IdentityN PreventGradient RefIdentity Snapshot StopGradient"
    ),
    "ops.array.in_place": "DataFormatDimMap DataFormatVecPermute FakeParam InplaceAdd InplaceSub InplaceUpdate ToBool",
    "ops.array.join": "Concat ConcatOffset ConcatV2 Pack ParallelConcat Unpack",
    "ops.array.pad": "MirrorPad MirrorPadGrad Pad PadV2",
    "ops.array.patches": "ExtractImagePatches ExtractVolumePatches",
    "ops.array.periodic_resample": "PeriodicResample PeriodicResampleOpGrad",
    "ops.array.range": "LinSpace Range",
    "ops.array.reverse": "Reverse ReverseSequence ReverseV2 Roll",
    "ops.array.scatter": (
        "ScatterNd ScatterNdNonAliasingAdd SparseToDense TensorScatterAdd TensorScatterMax TensorScatterMin "
        "TensorScatterSub TensorScatterUpdate"
    ),
    "ops.array.search": "LowerBound UpperBound",
    "ops.array.shape": "BroadcastArgs BroadcastTo ExpandDims Rank Reshape Shape ShapeN Size Squeeze",
    "ops.array.slice": (
        "ResourceStridedSliceAssign Slice StridedSlice StridedSliceAssign StridedSliceGrad TensorStridedSliceUpdate"
    ),
    "ops.array.space": "BatchToSpace BatchToSpaceND DepthToSpace SpaceToBatch SpaceToBatchND SpaceToDepth",
    "ops.array.split": "Split SplitV",
    "ops.array.tile": "Tile TileGrad",
    "ops.array.transpose": "ConjugateTranspose InvertPermutation Transpose",
    "ops.array.unique": "ListDiff Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2 UnravelIndex",
    "ops.array.where": "OneHot Where",
    "ops.audio.spectrogram": "AudioSpectrogram Mfcc",
    "ops.audio.wav": "DecodeWav EncodeWav",
    "ops.collective.collective": (
        "CollectiveBcastRecv CollectiveBcastSend CollectiveGather CollectiveReduce _Collective _CollectiveResult "
        "_CollectiveStart"
    ),
    "ops.collective.nccl": "NcclAllReduce NcclBroadcast NcclReduce",
    "ops.data.background": "ParallelMapDataset PrefetchDataset",
    "ops.data.batching": (
        "BatchDataset BatchDatasetV2 DenseToSparseBatchDataset ExperimentalDenseToSparseBatchDataset "
        "ExperimentalMapAndBatchDataset ExperimentalRebatchDataset ExperimentalSlidingWindowDataset "
        "ExperimentalUnbatchDataset MapAndBatchDataset PaddedBatchDataset PaddedBatchDatasetV2 RebatchDataset "
        "SlidingWindowDataset UnbatchDataset"
    ),
    "ops.data.caching": "CacheDataset",
    "ops.data.csv_files": "CSVDataset ExperimentalCSVDataset",
    "ops.data.files": (
        "DatasetToTFRecord ExperimentalDatasetToTFRecord ExperimentalLMDBDataset ExperimentalMatchingFilesDataset "
        "ExperimentalSqlDataset FixedLengthRecordDataset FixedLengthRecordDatasetV2 LMDBDataset MatchingFilesDataset "
        "SqlDataset TFRecordDataset TextLineDataset"
    ),
    "ops.data.grouping": (
        "ExperimentalGroupByReducerDataset ExperimentalGroupByWindowDataset GroupByReducerDataset "
        "GroupByWindowDataset WindowDataset"
    ),
    "ops.data.interleaving": (
        "ExperimentalParallelInterleaveDataset InterleaveDataset ParallelInterleaveDataset ParallelInterleaveDatasetV2"
    ),
    "ops.data.iterators": (
        "AnonymousIterator DeserializeIterator Iterator IteratorFromStringHandle IteratorFromStringHandleV2 "
        "IteratorGetDevice IteratorGetNext IteratorGetNextAsOptional IteratorGetNextSync IteratorPosition "
        "IteratorSeek IteratorToStringHandle IteratorV2 MakeIterator OneShotIterator OptionalFromValue "
        "OptionalGetValue OptionalHasValue OptionalNone SerializeIterator"
    ),
    "ops.data.joining": "ConcatenateDataset DirectedInterleaveDataset ExperimentalDirectedInterleaveDataset ZipDataset",
    "ops.data.mapping": (
        "ExperimentalMapDataset ExperimentalScanDataset ExperimentalTakeWhileDataset FilterDataset FlatMapDataset "
        "MapDataset ScanDataset TakeWhileDataset"
    ),
    "ops.data.parsing": "ParseExampleDataset",
    "ops.data.random": "OptimizeDataset RepeatDataset SamplingDataset ShuffleAndRepeatDataset ShuffleDataset",
    "ops.data.reducing": (
        "AssertNextDataset DatasetCardinality DatasetToSingleElement ExperimentalAssertNextDataset "
        "ExperimentalDatasetCardinality ExperimentalMaxIntraOpParallelismDataset ExperimentalNonSerializableDataset "
        "ExperimentalPrivateThreadPoolDataset ExperimentalSleepDataset MaxIntraOpParallelismDataset ModelDataset "
        "NonSerializableDataset PrivateThreadPoolDataset ReduceDataset SleepDataset"
    ),
    "ops.data.selecting": (
        "AutoShardDataset ExperimentalAutoShardDataset ExperimentalIgnoreErrorsDataset ExperimentalUniqueDataset "
        "FilterByLastComponentDataset IgnoreErrorsDataset ShardDataset SkipDataset TakeDataset UniqueDataset"
    ),
    "ops.data.sharded": (
        "MultiDeviceIterator MultiDeviceIteratorFromStringHandle MultiDeviceIteratorGetNextFromShard "
        "MultiDeviceIteratorInit MultiDeviceIteratorToStringHandle MultiDeviceShardDataset"
    ),
    "ops.data.snapshots": "MapDefun SnapshotDataset",
    "ops.data.sources": (
        "ExperimentalRandomDataset GeneratorDataset RandomDataset RangeDataset SparseTensorSliceDataset TensorDataset "
        "TensorSliceDataset"
    ),
    "ops.data.statistics": (
        "BytesProducedStatsDataset ExperimentalBytesProducedStatsDataset ExperimentalLatencyStatsDataset "
        "ExperimentalSetStatsAggregatorDataset ExperimentalStatsAggregatorHandle ExperimentalStatsAggregatorSummary "
        "LatencyStatsDataset SetStatsAggregatorDataset StatsAggregatorHandle StatsAggregatorSummary"
    ),
    "ops.flow.assertion": "Assert",
    "ops.flow.batching": "BatchFunction",
    "ops.flow.frames": "Enter Exit LoopCond NextIteration RefEnter RefExit RefNextIteration _LoopValue _While",
    "ops.flow.functional": (
        "Case For ForGradient If PartitionedCall RemoteCall StatefulPartitionedCall StatelessCase StatelessIf "
        "StatelessWhile SymbolicGradient While WhileGradient"
    ),
    "ops.flow.grouping": "ControlTrigger NoOp",
    "ops.flow.lists_in_place": (
        "_ListAdd _ListEmpty _ListFromTensor _ListGet _ListLength _ListOf _ListPop _ListPush _ListReserve _ListSet "
        "_ListStack _ListValue _ListZerosAs"
    ),
    "ops.flow.mutex": "ConsumeMutexLock MutexLock MutexV2",
    "ops.flow.not_runnable": "_NotRunnable",
    "ops.flow.numerics": "CheckNumerics CheckNumericsV2",
    "ops.flow.planning": "_Concat _Feed _NativeRegion _ReadRef _Transfer",
    "ops.flow.printing": "Print PrintV2 StringFormat Timestamp",
    "ops.flow.py_func": "EagerPyFunc PyFunc PyFuncStateless",
    "ops.flow.remote": "_RemoteCall _RemoteResult _RemoteWait",
    "ops.flow.scalars": "_ToScalar _ToTensor",
    "ops.flow.stacks": "Stack StackClose StackCloseV2 StackPop StackPopV2 StackPush StackPushV2 StackV2",
    "ops.flow.switching": "Merge RefMerge RefSelect RefSwitch Switch",
    "ops.flow.tensor_array_ops": (
        "TensorArrayCloseV2 TensorArrayCloseV3 TensorArrayConcatV2 TensorArrayConcatV3 TensorArrayGatherV2 "
        "TensorArrayGatherV3 TensorArrayGradV2 TensorArrayGradV3 TensorArrayGradWithShape TensorArrayReadV2 "
        "TensorArrayReadV3 TensorArrayScatterV2 TensorArrayScatterV3 TensorArraySizeV2 TensorArraySizeV3 "
        "TensorArraySplitV2 TensorArraySplitV3 TensorArrayV2 TensorArrayV3 TensorArrayWriteV2 TensorArrayWriteV3"
    ),
    "ops.flow.tensor_list_arrays": "TensorListConcatLists TensorListPushBackBatch",
    "ops.flow.tensor_list_conversion": (
        "TensorListConcat TensorListConcatV2 TensorListFromTensor TensorListGather TensorListScatter "
        "TensorListScatterIntoExistingList TensorListScatterV2 TensorListSplit TensorListStack"
    ),
    "ops.flow.tensor_list_elements": (
        "EmptyTensorList TensorListElementShape TensorListGetItem TensorListLength TensorListPopBack "
        "TensorListPushBack TensorListReserve TensorListResize TensorListSetItem"
    ),
    "ops.flow.torch_func": "TorchFunc TorchFuncGrad",
    "ops.image.colors": "AdjustContrastv2 AdjustHue AdjustSaturation HSVToRGB RGBToHSV",
    "ops.image.crop_and_resize": "CropAndResize CropAndResizeGradBoxes CropAndResizeGradImage",
    "ops.image.decode": "DecodeAndCropJpeg DecodeBmp DecodeGif DecodeImage DecodeJpeg DecodePng ExtractJpegShape",
    "ops.image.drawing": "DrawBoundingBoxes DrawBoundingBoxesV2",
    "ops.image.encode": "EncodeJpeg EncodeJpegVariableQuality EncodePng",
    "ops.image.glimpse": "ExtractGlimpse",
    "ops.image.projective": "ImageProjectiveTransform ImageProjectiveTransformV2 Resampler ResamplerGrad",
    "ops.image.regions": "BipartiteMatch ImageConnectedComponents",
    "ops.image.resize": (
        "ResizeArea ResizeBicubic ResizeBicubicGrad ResizeBilinear ResizeBilinearGrad ResizeNearestNeighbor "
        "ResizeNearestNeighborGrad ScaleAndTranslate ScaleAndTranslateGrad"
    ),
    "ops.image.sampling": "SampleDistortedBoundingBox SampleDistortedBoundingBoxV2",
    "ops.image.stereograms": "SingleImageRandomDotStereograms",
    "ops.image.suppression": (
        "CombinedNonMaxSuppression NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 "
        "NonMaxSuppressionV5 NonMaxSuppressionWithOverlaps"
    ),
    "ops.image.yiq": "AdjustHsvInYiq",
    "ops.io.checkpoint": (
        "MergeV2Checkpoints Restore RestoreSlice RestoreV2 Save SaveSlices SaveV2 ShardedFilename ShardedFilespec"
    ),
    "ops.io.vocabulary": "GenerateVocabRemapping LoadAndRemapMatrix",
    "ops.lookup.tables": (
        "HashTable HashTableV2 InitializeTable InitializeTableFromTextFile InitializeTableFromTextFileV2 "
        "InitializeTableV2 LookupTableExport LookupTableExportV2 LookupTableFind LookupTableFindV2 LookupTableImport "
        "LookupTableImportV2 LookupTableInsert LookupTableInsertV2 LookupTableRemoveV2 LookupTableSize "
        "LookupTableSizeV2 MutableDenseHashTable MutableDenseHashTableV2 MutableHashTable MutableHashTableOfTensors "
        "MutableHashTableOfTensorsV2 MutableHashTableV2"
    ),
    "ops.math.add_n": "AccumulateNV2 AddN",
    "ops.math.argmax": "ArgMax ArgMin",
    "ops.math.binary": "Add AddV2 Maximum Minimum Mul MulNoNan Pow SquaredDifference Sub",
    "ops.math.bitwise": "BitwiseAnd BitwiseOr BitwiseXor Invert LeftShift PopulationCount RightShift",
    "ops.math.broadcast_gradient": "BroadcastGradientArgs",
    "ops.math.cast": "Bitcast Cast",
    "ops.math.clip": "ClipByValue",
    "ops.math.clustering": "KMC2ChainInitialization KmeansPlusPlusInitialization NearestNeighbors",
    "ops.math.comparison": "ApproximateEqual CompareAndBitpack Equal Greater GreaterEqual Less LessEqual NotEqual",
    "ops.math.complex": "Angle Complex ComplexAbs Conj Imag Real",
    "ops.math.cross": "Cross",
    "ops.math.diagonal": (
        "BatchMatrixBandPart BatchMatrixDiag BatchMatrixDiagPart BatchMatrixSetDiag Diag DiagPart MatrixBandPart "
        "MatrixDiag MatrixDiagPart MatrixDiagPartV2 MatrixDiagV2 MatrixSetDiag MatrixSetDiagV2"
    ),
    "ops.math.diagonal_v3": "MatrixDiagPartV3 MatrixDiagV3 MatrixSetDiagV3",
    "ops.math.division": "Div DivNoNan FloorDiv FloorMod Mod RealDiv TruncateDiv TruncateMod",
    "ops.math.einsum": "Einsum",
    "ops.math.fft": (
        "BatchFFT BatchFFT2D BatchFFT3D BatchIFFT BatchIFFT2D BatchIFFT3D FFT FFT2D FFT3D IFFT IFFT2D IFFT3D IRFFT "
        "IRFFT2D IRFFT3D RFFT RFFT2D RFFT3D"
    ),
    "ops.math.histogram": "Bincount Bucketize DenseBincount HistogramFixedWidth NthElement",
    "ops.math.hyperplane_probes": "HyperplaneLSHProbes",
    "ops.math.linalg": (
        "BatchCholesky BatchCholeskyGrad BatchMatrixDeterminant BatchMatrixInverse BatchMatrixSolve "
        "BatchMatrixSolveLs BatchMatrixTriangularSolve Cholesky CholeskyGrad LogMatrixDeterminant MatrixDeterminant "
        "MatrixExponential MatrixInverse MatrixLogarithm MatrixSolve MatrixSolveLs MatrixSquareRoot "
        "MatrixTriangularSolve"
    ),
    "ops.math.linalg_spectral": (
        "BatchSelfAdjointEig BatchSelfAdjointEigV2 BatchSvd Lu Qr SelfAdjointEig SelfAdjointEigV2 Svd"
    ),
    "ops.math.logical": "LogicalAnd LogicalNot LogicalOr",
    "ops.math.masked_products": "MaskedMatmul WALSComputePartialLhsAndRhs",
    "ops.math.matmul": "BatchMatMul BatchMatMulV2 BatchMatMulV3 MatMul SparseMatMul",
    "ops.math.reduce": "All Any EuclideanNorm Max Mean Min Prod Sum",
    "ops.math.scan": "Cumprod Cumsum CumulativeLogsumexp",
    "ops.math.segment": (
        "SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum UnsortedSegmentMax UnsortedSegmentMin "
        "UnsortedSegmentProd UnsortedSegmentSum"
    ),
    "ops.math.select": "Select SelectV2",
    "ops.math.slice_reduction": "ReduceSliceMax ReduceSliceMin ReduceSliceProd ReduceSliceSum",
    "ops.math.sparse_segment": (
        "SparseSegmentMean SparseSegmentMeanGrad SparseSegmentMeanWithNumSegments SparseSegmentSqrtN "
        "SparseSegmentSqrtNGrad SparseSegmentSqrtNWithNumSegments SparseSegmentSum SparseSegmentSumWithNumSegments"
    ),
    "ops.math.special": (
        "BesselI0 BesselI0e BesselI1 BesselI1e Betainc Digamma Erf Erfc Erfinv Igamma IgammaGradA Igammac Lgamma "
        "Ndtri NextAfter Polygamma Xdivy Xlog1py Xlogy Zeta"
    ),
    "ops.math.tridiagonal": "TridiagonalMatMul TridiagonalSolve",
    "ops.math.trigonometric": "Acos Acosh Asin Asinh Atan Atan2 Atanh Cos Cosh Sin Sinh Tan",
    "ops.math.unary": (
        "Abs Ceil Exp Expm1 Floor Inv InvGrad IsFinite IsInf IsNan Log Log1p Neg Reciprocal ReciprocalGrad Rint Round "
        "Rsqrt RsqrtGrad Sigmoid SigmoidGrad Sign Sqrt SqrtGrad Square Tanh TanhGrad"
    ),
    "ops.nn.activations": (
        "Elu EluGrad LeakyRelu LeakyReluGrad Relu Relu6 Relu6Grad ReluGrad Selu SeluGrad Softplus SoftplusGrad "
        "Softsign SoftsignGrad"
    ),
    "ops.nn.average_pooling": "AvgPool AvgPool3D AvgPool3DGrad AvgPoolGrad",
    "ops.nn.bias": "BiasAdd BiasAddGrad BiasAddV1",
    "ops.nn.candidates": (
        "AllCandidateSampler ComputeAccidentalHits FixedUnigramCandidateSampler LearnedUnigramCandidateSampler "
        "LogUniformCandidateSampler ThreadUnsafeUnigramCandidateSampler UniformCandidateSampler"
    ),
    "ops.nn.convolution": (
        "Conv2D Conv2DBackpropFilter Conv2DBackpropInput Conv3D Conv3DBackpropFilter Conv3DBackpropFilterV2 "
        "Conv3DBackpropInput Conv3DBackpropInputV2 DepthwiseConv2dNative DepthwiseConv2dNativeBackpropFilter "
        "DepthwiseConv2dNativeBackpropInput"
    ),
    "ops.nn.cross_entropy": "SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits",
    "ops.nn.ctc": "CTCLoss",
    "ops.nn.ctc_decoding": "CTCBeamSearchDecoder CTCGreedyDecoder",
    "ops.nn.cudnn_rnn": (
        "CudnnRNN CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3 CudnnRNNCanonicalToParams "
        "CudnnRNNCanonicalToParamsV2 CudnnRNNParamsSize CudnnRNNParamsToCanonical CudnnRNNParamsToCanonicalV2 "
        "CudnnRNNV2 CudnnRNNV3"
    ),
    "ops.nn.dilation": "Dilation2D Dilation2DBackpropFilter Dilation2DBackpropInput",
    "ops.nn.fractional_pooling": "FractionalAvgPool FractionalAvgPoolGrad FractionalMaxPool FractionalMaxPoolGrad",
    "ops.nn.gather_tree": "GatherTree",
    "ops.nn.gru_block": "GRUBlockCell GRUBlockCellGrad",
    "ops.nn.l2_loss": "L2Loss",
    "ops.nn.lrn": "LRN LRNGrad",
    "ops.nn.lstm_block": "BlockLSTM BlockLSTMGrad BlockLSTMGradV2 BlockLSTMV2 LSTMBlockCell LSTMBlockCellGrad",
    "ops.nn.normalization": (
        "BatchNormWithGlobalNormalization BatchNormWithGlobalNormalizationGrad FusedBatchNorm FusedBatchNormGrad "
        "FusedBatchNormGradV2 FusedBatchNormGradV3 FusedBatchNormV2 FusedBatchNormV3"
    ),
    "ops.nn.padded_convolution": "FusedPadConv2D FusedResizeAndPadConv2D",
    "ops.nn.pooling": (
        "MaxPool MaxPool3D MaxPool3DGrad MaxPool3DGradGrad MaxPoolGrad MaxPoolGradGrad MaxPoolGradGradV2 "
        "MaxPoolGradGradWithArgmax MaxPoolGradV2 MaxPoolGradWithArgmax MaxPoolV2 MaxPoolWithArgmax"
    ),
    "ops.nn.softmax": "LogSoftmax Softmax",
    "ops.nn.topk": "InTopK InTopKV2 TopK TopKV2",
    "ops.parsing.csv": "DecodeCSV",
    "ops.parsing.example": "ParseExample ParseExampleV2 ParseSingleExample",
    "ops.parsing.libsvm": "DecodeLibsvm",
    "ops.parsing.protos": "DecodeProtoV2 EncodeProto",
    "ops.parsing.sequence_example": "ParseSequenceExample ParseSingleSequenceExample",
    "ops.parsing.tensors": "DecodeCompressed DecodeJSONExample ParseTensor SerializeTensor",
    "ops.quantized.arithmetic": (
        "QuantizedAdd QuantizedBiasAdd QuantizedConcat QuantizedMatMul QuantizedMul QuantizedRelu QuantizedRelu6 "
        "QuantizedReluX QuantizedReshape"
    ),
    "ops.quantized.conversion": "Dequantize QuantizeDownAndShrinkRange QuantizeV2 RequantizationRange Requantize",
    "ops.quantized.nn": (
        "QuantizedAvgPool QuantizedBatchNormWithGlobalNormalization QuantizedConv2D QuantizedInstanceNorm "
        "QuantizedMaxPool QuantizedResizeBilinear"
    ),
    "ops.queues.accumulators": (
        "AccumulatorApplyGradient AccumulatorNumAccumulated AccumulatorSetGlobalStep AccumulatorTakeGradient "
        "ConditionalAccumulator ResourceAccumulatorApplyGradient ResourceAccumulatorNumAccumulated "
        "ResourceAccumulatorSetGlobalStep ResourceAccumulatorTakeGradient ResourceConditionalAccumulator "
        "SparseAccumulatorApplyGradient SparseAccumulatorTakeGradient SparseConditionalAccumulator"
    ),
    "ops.queues.barrier_ops": (
        "Barrier BarrierClose BarrierIncompleteSize BarrierInsertMany BarrierReadySize BarrierTakeMany"
    ),
    "ops.queues.queue_ops": (
        "FIFOQueue FIFOQueueV2 FakeQueue PaddingFIFOQueue PaddingFIFOQueueV2 PriorityQueue PriorityQueueV2 QueueClose "
        "QueueCloseV2 QueueDequeue QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2 "
        "QueueDequeueV2 QueueEnqueue QueueEnqueueMany QueueEnqueueManyV2 QueueEnqueueV2 QueueIsClosed QueueIsClosedV2 "
        "QueueSize QueueSizeV2 RandomShuffleQueue RandomShuffleQueueV2"
    ),
    "ops.queues.staging_ops": (
        "MapClear MapIncompleteSize MapPeek MapSize MapStage MapUnstage MapUnstageNoKey OrderedMapClear "
        "OrderedMapIncompleteSize OrderedMapPeek OrderedMapSize OrderedMapStage OrderedMapUnstage "
        "OrderedMapUnstageNoKey Stage StageClear StagePeek StageSize Unstage"
    ),
    "ops.ragged.dense": "RaggedTensorToTensor",
    "ops.ragged.kernels": "RaggedGather RaggedRange RaggedTensorToSparse",
    "ops.ragged.variants": "RaggedTensorFromVariant RaggedTensorToVariant",
    "ops.random.keyed": (
        "RngReadAndSkip StatelessRandomGetAlg StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg "
        "StatelessRandomNormalV2 StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2 "
        "StatelessRandomUniformIntV2 StatelessRandomUniformV2 StatelessTruncatedNormalV2"
    ),
    "ops.random.normal": (
        "ParameterizedTruncatedNormal RandomStandardNormal StatelessRandomNormal StatelessTruncatedNormal "
        "TruncatedNormal"
    ),
    "ops.random.sampling": "Multinomial RandomGamma RandomGammaGrad RandomPoisson RandomPoissonV2 StatelessMultinomial",
    "ops.random.shuffle": "RandomShuffle",
    "ops.random.stateful": (
        "NonDeterministicInts RngSkip StatefulRandomBinomial StatefulStandardNormal StatefulStandardNormalV2 "
        "StatefulTruncatedNormal StatefulUniform StatefulUniformFullInt StatefulUniformInt"
    ),
    "ops.random.uniform": "RandomUniform RandomUniformInt StatelessRandomUniform StatelessRandomUniformInt",
    "ops.readers.files": "MatchingFiles ReadFile WriteFile",
    "ops.readers.reader_ops": (
        "FixedLengthRecordReader FixedLengthRecordReaderV2 IdentityReader IdentityReaderV2 LMDBReader "
        "ReaderNumRecordsProduced ReaderNumRecordsProducedV2 ReaderNumWorkUnitsCompleted "
        "ReaderNumWorkUnitsCompletedV2 ReaderRead ReaderReadUpTo ReaderReadUpToV2 ReaderReadV2 ReaderReset "
        "ReaderResetV2 ReaderRestoreState ReaderRestoreStateV2 ReaderSerializeState ReaderSerializeStateV2 "
        "TFRecordReader TFRecordReaderV2 TextLineReader TextLineReaderV2 WholeFileReader WholeFileReaderV2"
    ),
    "ops.readers.record_input": "RecordInput",
    "ops.sparse.add": "SparseAdd SparseAddGrad SparseTensorDenseAdd",
    "ops.sparse.cross": "SparseCross",
    "ops.sparse.cwise": (
        "SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul SparseSoftmax SparseSparseMaximum "
        "SparseSparseMinimum"
    ),
    "ops.sparse.edit_distance": "EditDistance",
    "ops.sparse.feature_cross": "SparseFeatureCross SparseFeatureCrossV2",
    "ops.sparse.join": "SparseConcat",
    "ops.sparse.maps": "AddManySparseToTensorsMap AddSparseToTensorsMap TakeManySparseFromTensorsMap",
    "ops.sparse.matmul": "SparseTensorDenseMatMul",
    "ops.sparse.reduce": "SparseReduceMax SparseReduceMaxSparse SparseReduceSum SparseReduceSumSparse",
    "ops.sparse.reshape": "SparseReorder SparseReshape",
    "ops.sparse.rows": "SparseFillEmptyRows SparseFillEmptyRowsGrad",
    "ops.sparse.serializing": "DeserializeManySparse DeserializeSparse SerializeManySparse SerializeSparse",
    "ops.sparse.sets": "DenseToDenseSetOperation DenseToSparseSetOperation SetSize SparseToSparseSetOperation",
    "ops.sparse.slice": "SparseSlice SparseSliceGrad SparseSplit",
    "ops.state.assign": "Assign AssignAdd AssignSub",
    "ops.state.copy_on_read": "DisableCopyOnRead",
    "ops.state.input_pipeline": "ObtainNext",
    "ops.state.memory": "BytesInUse BytesLimit MaxBytesInUse",
    "ops.state.resource": (
        "AssignAddVariableOp AssignSubVariableOp AssignVariableOp DestroyResourceOp ReadVariableOp ResourceCountUpTo "
        "ResourceGather ResourceGatherNd VarHandleOp VarIsInitializedOp VariableShape"
    ),
    "ops.state.scatter": (
        "ResourceScatterAdd ResourceScatterDiv ResourceScatterMax ResourceScatterMin ResourceScatterMul "
        "ResourceScatterNdAdd ResourceScatterNdSub ResourceScatterNdUpdate ResourceScatterSub ResourceScatterUpdate "
        "ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul ScatterNdAdd ScatterNdSub ScatterNdUpdate ScatterSub "
        "ScatterUpdate"
    ),
    "ops.state.session_tensors": "DeleteSessionTensor GetSessionHandle GetSessionTensor",
    "ops.state.variable": (
        "CountUpTo DestroyTemporaryVariable IsVariableInitialized TemporaryVariable Variable VariableV2"
    ),
    "ops.state.zeros": "ZeroInitializer ZeroVarInitializer",
    "ops.string.conversion": "AsString DecodeBase64 DecodePaddedRaw DecodeRaw EncodeBase64 StringToNumber",
    "ops.string.fact": "Fact",
    "ops.string.fingerprint128": "SdcaFprint",
    "ops.string.fingerprints": "Fingerprint",
    "ops.string.hashing": "StringToHashBucket StringToHashBucketFast StringToHashBucketStrong",
    "ops.string.joining": "ReduceJoin StringJoin",
    "ops.string.ngrams": "StringNGrams",
    "ops.string.regex": "RegexFullMatch RegexReplace StaticRegexFullMatch StaticRegexReplace",
    "ops.string.segments": "UnsortedSegmentJoin",
    "ops.string.skip_grams": "SkipGramGenerateCandidates",
    "ops.string.splitting": "StringSplit StringSplitV2",
    "ops.string.text": "StringLength StringLower StringStrip StringUpper Substr",
    "ops.string.unicode": "UnicodeDecode UnicodeDecodeWithOffsets UnicodeEncode UnicodeScript UnicodeTranscode",
    "ops.summary.values": (
        "AudioSummary AudioSummaryV2 HistogramSummary ImageSummary MergeSummary ScalarSummary TensorSummary "
        "TensorSummaryV2"
    ),
    "ops.summary.writers": (
        "CloseSummaryWriter CreateSummaryFileWriter FlushSummaryWriter ImportEvent SummaryWriter WriteAudioSummary "
        "WriteGraphSummary WriteHistogramSummary WriteImageSummary WriteRawProtoSummary WriteScalarSummary "
        "WriteSummary"
    ),
    "ops.train.dual_ascent": "SdcaOptimizer SdcaOptimizerV2 SdcaShrinkL1",
    "ops.train.updates": (
        "ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradDA ApplyAdagradV2 ApplyAdam ApplyAddSign "
        "ApplyCenteredRMSProp ApplyFtrl ApplyFtrlV2 ApplyGradientDescent ApplyMomentum ApplyPowerSign "
        "ApplyProximalAdagrad ApplyProximalGradientDescent ApplyRMSProp ResourceApplyAdaMax ResourceApplyAdadelta "
        "ResourceApplyAdagrad ResourceApplyAdagradDA ResourceApplyAdagradV2 ResourceApplyAdam "
        "ResourceApplyAdamWithAmsgrad ResourceApplyAddSign ResourceApplyCenteredRMSProp ResourceApplyFtrl "
        "ResourceApplyFtrlV2 ResourceApplyGradientDescent ResourceApplyKerasMomentum ResourceApplyMomentum "
        "ResourceApplyPowerSign ResourceApplyProximalAdagrad ResourceApplyProximalGradientDescent "
        "ResourceApplyRMSProp ResourceSparseApplyAdadelta ResourceSparseApplyAdagrad ResourceSparseApplyAdagradDA "
        "ResourceSparseApplyAdagradV2 ResourceSparseApplyCenteredRMSProp ResourceSparseApplyFtrl "
        "ResourceSparseApplyFtrlV2 ResourceSparseApplyKerasMomentum ResourceSparseApplyMomentum "
        "ResourceSparseApplyProximalAdagrad ResourceSparseApplyProximalGradientDescent ResourceSparseApplyRMSProp "
        "SparseApplyAdadelta SparseApplyAdagrad SparseApplyAdagradDA SparseApplyAdagradV2 SparseApplyCenteredRMSProp "
        "SparseApplyFtrl SparseApplyFtrlV2 SparseApplyMomentum SparseApplyProximalAdagrad "
        "SparseApplyProximalGradientDescent SparseApplyRMSProp"
    ),
    "ops.trees.ensemble": (
        "BoostedTreesCreateEnsemble BoostedTreesDeserializeEnsemble BoostedTreesEnsembleResourceHandleOp "
        "BoostedTreesGetEnsembleStates BoostedTreesSerializeEnsemble IsBoostedTreesEnsembleInitialized"
    ),
    "ops.trees.forest": (
        "CreateFertileStatsVariable CreateTreeVariable DecisionTreeResourceHandleOp FeatureUsageCounts "
        "FertileStatsDeserialize FertileStatsIsInitializedOp FertileStatsResourceHandleOp FertileStatsSerialize "
        "FinalizeTree GrowTreeV4 ProcessInputV4 TraverseTreeV4 TreeDeserialize TreeIsInitializedOp TreePredictionsV4 "
        "TreeSerialize TreeSize UpdateModelV4"
    ),
    "ops.trees.forest_data": "ReinterpretStringToFloat ScatterAddNdim",
    "ops.trees.gradient_ensemble": (
        "CreateTreeEnsembleVariable DecisionTreeEnsembleResourceHandleOp TreeEnsembleDeserialize "
        "TreeEnsembleIsInitializedOp TreeEnsembleSerialize TreeEnsembleStampToken TreeEnsembleStats "
        "TreeEnsembleUsedHandlers"
    ),
    "ops.trees.gradient_growing": "CenterTreeEnsembleBias GrowTreeEnsemble",
    "ops.trees.gradient_prediction": (
        "GradientTreesPartitionExamples GradientTreesPrediction GradientTreesPredictionVerbose"
    ),
    "ops.trees.growing": "BoostedTreesCenterBias BoostedTreesUpdateEnsemble BoostedTreesUpdateEnsembleV2",
    "ops.trees.partition_sums": (
        "CreateStatsAccumulatorScalar CreateStatsAccumulatorTensor StatsAccumulatorScalarAdd "
        "StatsAccumulatorScalarDeserialize StatsAccumulatorScalarFlush StatsAccumulatorScalarIsInitialized "
        "StatsAccumulatorScalarMakeSummary StatsAccumulatorScalarResourceHandleOp StatsAccumulatorScalarSerialize "
        "StatsAccumulatorTensorAdd StatsAccumulatorTensorDeserialize StatsAccumulatorTensorFlush "
        "StatsAccumulatorTensorIsInitialized StatsAccumulatorTensorMakeSummary StatsAccumulatorTensorResourceHandleOp "
        "StatsAccumulatorTensorSerialize"
    ),
    "ops.trees.prediction": "BoostedTreesExampleDebugOutputs BoostedTreesPredict BoostedTreesTrainingPredict",
    "ops.trees.quantiles": (
        "BoostedTreesBucketize BoostedTreesCreateQuantileStreamResource BoostedTreesFlushQuantileSummaries "
        "BoostedTreesMakeQuantileSummaries BoostedTreesQuantileStreamResourceAddSummaries "
        "BoostedTreesQuantileStreamResourceDeserialize BoostedTreesQuantileStreamResourceFlush "
        "BoostedTreesQuantileStreamResourceGetBucketBoundaries BoostedTreesQuantileStreamResourceHandleOp "
        "IsBoostedTreesQuantileStreamResourceInitialized"
    ),
    "ops.trees.split_building": "BuildCategoricalEqualitySplits BuildDenseInequalitySplits BuildSparseInequalitySplits",
    "ops.trees.splits": "BoostedTreesCalculateBestFeatureSplit BoostedTreesCalculateBestGainsPerFeature",
    "ops.trees.stamped_quantiles": (
        "BucketizeWithInputBoundaries CreateQuantileAccumulator MakeQuantileSummaries QuantileAccumulatorAddSummaries "
        "QuantileAccumulatorDeserialize QuantileAccumulatorFlush QuantileAccumulatorFlushSummary "
        "QuantileAccumulatorGetBuckets QuantileAccumulatorIsInitialized QuantileAccumulatorSerialize QuantileBuckets "
        "QuantileStreamResourceHandleOp Quantiles"
    ),
    "ops.trees.statistics": "BoostedTreesAggregateStats BoostedTreesMakeStatsSummary BoostedTreesSparseAggregateStats",
    "plan.fusions.adam_of_rows": "_Decay _StepByRoot",
    "plan.fusions.bias": "_Conv2DBias _Conv3DBias _DepthwiseConv2dBias _MatMulBias",
    "plan.fusions.broadcast_gradients": "_SumLike _SumToShape _SumToShapeOf",
    "plan.fusions.clipped_gradients": "_WithinBound",
    "plan.fusions.concat_gradients": "_SplitLike",
    "plan.fusions.convolutions_of_one_image": "_PackedConv2Ds",
    "plan.fusions.counts": "_DivideByCount _ExpandLike _TimesCount",
    "plan.fusions.dropout": "_DropoutFactor",
    "plan.fusions.kept_ids": "_KeptIds",
    "plan.fusions.keras_updates": "_ApplyNadamMany _ApplyRMSPropByRootMany",
    "plan.fusions.logistic_losses": "_LogisticLoss _LogisticLossGrad",
    "plan.fusions.lstm": "_LSTMTail _LSTMTailGrad",
    "plan.fusions.max_pooling": "_MaxPoolGradWithIndices _MaxPoolWithIndices",
    "plan.fusions.one_hot_vectors": "_TwoValues",
    "plan.fusions.packed_convolutions": "_PackedConv2D _PackedDepthwiseConv2dNative",
    "plan.fusions.partial_products": "_MatMulAdd _MatMulRows",
    "plan.fusions.products_of_parts": "_Columns",
    "plan.fusions.row_sums": "_AddRows",
    "plan.fusions.shapes_of_others": "_FillLike _KeepDims _ReshapeLike",
    "plan.fusions.sizes": "_Sizes",
    "plan.fusions.sparse_gradients": "_Flatten _RowsFor _SumOfRepeated",
    "plan.fusions.updates": (
        "_ApplyAdaMaxMany _ApplyAdadeltaMany _ApplyAdagradMany _ApplyAdagradV2Many _ApplyAdamMany "
        "_ApplyGradientDescentMany _ApplyGradientDescentProduct _ApplyKerasMomentumMany _ApplyMomentumMany "
        "_ApplyRMSPropMany"
    ),
    "plan.fusions.vocabulary_buckets": (
        "_StringToHashBucketFastOfMissing _StringToHashBucketOfMissing _StringToHashBucketStrongOfMissing"
    ),
}
