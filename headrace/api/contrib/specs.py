"""tf.contrib.specs."""

HOMES = {
    "contrib.specs.composable": "Callable Composable Composition External Function Import Operator check_keywords debug "
    "get_positional",
    "contrib.specs.nets": "LocalImport create_net create_net_fun eval_params eval_spec",
    "contrib.specs.operators": "Ap Bn Cl Cm Conc Cr Cs Ct Cx Do Dwm Dws Expand Fl Flat Fm Fr Fs Ft Fun Fx Id Idx Lrn Mp "
    "Print Relu Reshape Shared Sig Smax Squeeze Tanh Transpose Unit Var",
    "contrib.specs.params": "Lf Li Nt Uf Ui",
    "contrib.specs.summaries": "tf_left_split tf_num_params tf_parameter_iter tf_parameter_summary tf_print "
    "tf_spec_print tf_spec_structure tf_spec_summary tf_structure",
}
